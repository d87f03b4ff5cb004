import { dayMs, hourMs, secondMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { RefusedBuffer } from './refused-buffer.ts';
import type { RefusedMember, RefusedRequest } from './refused-request.ts';

/** How long refused requests are kept: long enough to investigate last week's release. */
export const refusedKeptMs = 7 * dayMs;
const writeMs = secondMs;
/** Rows per list: a page of 200, and one more to show that there is a next page. */
const listedMax = 201;

export interface RefusedRow extends Omit<RefusedRequest, 'atMs' | 'workspaceId'> {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface RefusedTotal {
  readonly code: string;
  readonly path: string;
  /** Requests are counted per clock hour; each total sums the hours that began within its span. */
  readonly lastHour: number;
  readonly lastDay: number;
  readonly last7Days: number;
}

export interface RefusedRequestsOptions {
  readonly pool: Pick<Pool, 'query'>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the requests that ingest refused for 7 days, because a fire-and-forget backend never reads its answers.
 * Noting one costs a microsecond and touches memory only. Writes happen once a second; during a database outage the
 * counts wait and the samples are dropped.
 */
export class RefusedRequests {
  readonly #options: RefusedRequestsOptions;
  readonly #buffer = new RefusedBuffer();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RefusedRequestsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), writeMs).unref();
  }

  note(refused: RefusedRequest): void {
    this.#buffer.note(refused);
  }

  /** Writes what was noted. Runs one write at a time; never rejects. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeOnce());
    return this.#writing;
  }

  /** Deletes everything older than 7 days; retention calls it every hour. */
  async purge(): Promise<void> {
    const before = new Date(this.#options.now() - refusedKeptMs);
    await this.#options.pool.query(`delete from refused_request where at < $1`, [before]);
    await this.#options.pool.query(`delete from refused_count where hour < $1`, [before]);
  }

  /** Newest first; `before` is the id of the last row of the previous page. */
  async list(
    workspaceId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly RefusedRow[]> {
    const found = await this.#options.pool.query<StoredRow>(
      `select id, key_id, request_id, at, method, path, status, code, body_bytes, errors from refused_request
       where workspace_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
      [workspaceId, page.before ?? null, Math.min(page.limit, listedMax)],
    );
    return found.rows.map(rowOf);
  }

  /** Totals by code and path, sorted by the last day's number, highest first. */
  async counts(workspaceId: string): Promise<readonly RefusedTotal[]> {
    const nowMs = this.#options.now();
    const found = await this.#options.pool.query<RefusedTotal>(
      `select code, path, (coalesce(sum(requests) filter (where hour > $2), 0))::int as "lastHour",
         (coalesce(sum(requests) filter (where hour > $3), 0))::int as "lastDay", sum(requests)::int as "last7Days"
       from refused_count where workspace_id = $1 and hour > $4
       group by code, path order by "lastDay" desc, code, path`,
      [workspaceId, new Date(nowMs - hourMs), new Date(nowMs - dayMs), new Date(nowMs - refusedKeptMs)],
    );
    return found.rows;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #writeOnce(): Promise<void> {
    const batch = this.#buffer.take();
    if (batch.counts.length === 0) return;
    try {
      await this.#options.pool.query(insertCounts, [JSON.stringify(batch.counts)]);
    } catch (error) {
      this.#buffer.putBack(batch);
      this.#options.onError(error);
      return;
    }
    if (batch.samples.length === 0) return;
    const rows = batch.samples.map(({ errors, ...sample }) => ({ ...sample, errors: JSON.stringify(errors) }));
    await this.#options.pool.query(insertSamples, [JSON.stringify(rows)]).catch(this.#options.onError);
  }
}

/** The rows are one JSON parameter: one statement for any number of them. */
const insertCounts = `
insert into refused_count as kept (workspace_id, hour, code, path, requests)
select "workspaceId", to_timestamp("hourMs" / 1000.0), code, path, requests
from json_to_recordset($1) as n ("workspaceId" text, "hourMs" bigint, code text, path text, requests bigint)
order by "workspaceId", "hourMs", code, path
on conflict (workspace_id, hour, code, path) do update set requests = kept.requests + excluded.requests`;

/** A request may state any length; its column has 32 bits. */
const bodyBytesKept = 2 ** 31 - 1;

const insertSamples = `
insert into refused_request (workspace_id, key_id, request_id, at, method, path, status, code, body_bytes, errors)
select "workspaceId", "keyId", "requestId", to_timestamp("atMs" / 1000.0), method, path, status, code, 
  case when "bodyBytes" > ${bodyBytesKept} then ${bodyBytesKept} else "bodyBytes" end, errors
from json_to_recordset($1) as n ("workspaceId" text, "keyId" text, "requestId" text, "atMs" bigint, method text, path text,
  status smallint, code text, "bodyBytes" bigint, errors text)`;

interface StoredRow {
  readonly id: string;
  readonly key_id: string | null;
  readonly request_id: string;
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: RefusedRequest['code'];
  readonly body_bytes: number | null;
  readonly errors: string;
}

function rowOf(row: StoredRow): RefusedRow {
  return {
    id: Number(row.id),
    at: row.at.toISOString(),
    keyId: row.key_id ?? undefined,
    requestId: row.request_id,
    method: row.method,
    path: row.path,
    status: row.status,
    code: row.code,
    bodyBytes: row.body_bytes ?? undefined,
    errors: JSON.parse(row.errors) as readonly RefusedMember[],
  };
}
