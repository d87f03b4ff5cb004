/**
 * What a rollback of the database takes with it beside events: the keys of new clients, and the erasures of others. The
 * log gives back what Kafka has of the events (docs/decisions/0033); this module makes the rest again.
 *
 * An event of a client that is younger than two days carries the client's row, sealed under the adoption key of the day.
 * These keys are made ahead of their day, so that a rollback has them, and destroyed a week later: from then on
 * the row of an erased client cannot be read in Kafka.
 */
import { randomBytes } from 'node:crypto';
import { type EpochMs, hourMs } from '@ringfence/contract';
import type { AdoptHook, Orphan } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { destroyClient } from './erase-client.ts';
import type { Attached } from './subject-keys.ts';

export const adoptionSchema = `
-- Not sealed: what is under them is, and they are kept only to be destroyed.
create table adoption_key (
  day integer primary key, -- since the Unix epoch, UTC
  key bytea   not null
);
`;

const dayMs = 24 * hourMs;
/** A client's row is attached to its events for this long: a database that is rolled back further lacks more than that. */
const youngMs = 2 * dayMs;
const daysAhead = 2;
const daysKept = 7;
const keyBytes = 32;
const dayBytes = 4;
const indexLengthBytes = 1;

export interface ClientRow {
  readonly workspaceId: string;
  readonly subject: string;
  readonly clientIndex: Buffer;
  readonly sealedKey: Buffer;
  readonly createdAtMs: number;
}

interface Today {
  readonly day: number;
  readonly key: Buffer;
}

/** The adoption key of today, made and destroyed by the first process that needs it. */
export class AdoptionKeys {
  readonly #pool: Pool;
  readonly #now: () => EpochMs;
  readonly #onError: (error: unknown) => void;
  #keys = new Map<number, Buffer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: { readonly pool: Pool; readonly now: () => EpochMs; readonly onError: (error: unknown) => void }) {
    this.#pool = deps.pool;
    this.#now = deps.now;
    this.#onError = deps.onError;
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#renew().catch(this.#onError), hourMs);
    await this.#renew();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** `undefined`: the client is older, or there is no key for today. */
  attach(row: ClientRow): Attached | undefined {
    const nowMs = this.#now();
    const today = this.#today(nowMs);
    if (today === undefined || nowMs - row.createdAtMs >= youngMs) return undefined;
    const content = Buffer.concat([Buffer.from([row.clientIndex.length]), row.clientIndex, row.sealedKey]);
    const head = Buffer.alloc(dayBytes);
    head.writeUInt32BE(today.day);
    return {
      bytes: Buffer.concat([head, seal(today.key, content, attachedPlace(row))]),
      untilMs: row.createdAtMs + youngMs,
    };
  }

  #today(nowMs: number): Today | undefined {
    const day = Math.floor(nowMs / dayMs);
    const key = this.#keys.get(day);
    return key && { day, key };
  }

  async #renew(): Promise<void> {
    const day = Math.floor(this.#now() / dayMs);
    const days = Array.from({ length: daysAhead + 1 }, (_, ahead) => day + ahead);
    await this.#pool.query(
      `insert into adoption_key (day, key) select * from unnest($1::integer[], $2::bytea[]) on conflict do nothing`,
      [days, days.map(() => randomBytes(keyBytes))],
    );
    await this.#pool.query(`delete from adoption_key where day < $1`, [day - daysKept]);
    const { rows } = await this.#pool.query<{ day: number; key: Buffer }>(`select day, key from adoption_key`);
    this.#keys = new Map(rows.map((row) => [row.day, row.key]));
  }
}

function attachedPlace({ workspaceId, subject }: Pick<ClientRow, 'workspaceId' | 'subject'>): Place {
  return { of: `adoption:${workspaceId}`, row: subject };
}

/**
 * Makes the clients of events again whose rows were lost, and destroys the keys of clients whose erasures were. Leaves
 * out events that could not be read: of a client that was erased, or whose row was neither kept nor attached.
 */
export const adoptClients: AdoptHook = async (transaction, workspaceId, orphans) => {
  const known = await readKnown(transaction, workspaceId, orphans);
  const answers: ('place' | undefined)[] = [];
  for (const orphan of orphans) {
    const { kind, subject } = orphan;
    if (subject === undefined) {
      answers.push('place');
    } else if (kind === 'erase') {
      if (known.delete(subject)) await destroyClient(transaction, workspaceId, subject);
      answers.push('place');
    } else if (known.has(subject) || (await restoreClient(transaction, workspaceId, orphan))) {
      known.add(subject);
      answers.push('place');
    } else {
      answers.push(undefined);
    }
  }
  return answers;
};

async function readKnown(client: ClientBase, workspaceId: string, orphans: readonly Orphan[]): Promise<Set<string>> {
  const subjects = [...new Set(orphans.flatMap(({ subject }) => subject ?? []))];
  const { rows } = await client.query<{ id: string }>(
    `select id from subject where workspace_id = $1 and id = any($2)`,
    [workspaceId, subjects],
  );
  return new Set(rows.map(({ id }) => id));
}

/** @returns whether the client is there again */
async function restoreClient(
  client: ClientBase,
  workspaceId: string,
  { subject, attachment }: Orphan,
): Promise<boolean> {
  if (subject === undefined || attachment === undefined) return false;
  const { rows } = await client.query<{ key: Buffer | null; erased: boolean }>(
    `select (select key from adoption_key where day = $1) as key,
            exists (select from erasure where workspace_id = $2 and subject = $3) as erased`,
    [attachment.readUInt32BE(0), workspaceId, subject],
  );
  const [{ key, erased }] = rows as [{ key: Buffer | null; erased: boolean }];
  if (key === null || erased) return false;
  const content = open(key, attachment.subarray(dayBytes), attachedPlace({ workspaceId, subject }));
  const indexEnd = indexLengthBytes + content[0]!;
  const [clientIndex, sealedKey] = [content.subarray(indexLengthBytes, indexEnd), content.subarray(indexEnd)];
  // Another id for the same client may have been given since the rollback. Nothing was appended under it, because nothing
  // is before the adoption; who sealed with it is refused as stale, and reads this row. The store may have what they
  // sealed, behind the events under the lost id: it was never acknowledged, and does not replace a row made here.
  await client.query(
    `delete from subject where workspace_id = $1 and client_index = $2 and xmin <> pg_current_xact_id()::xid`,
    [workspaceId, clientIndex],
  );
  const { rowCount } = await client.query(
    `insert into subject (workspace_id, id, client_index, sealed_key) values ($1, $2, $3, $4) on conflict do nothing`,
    [workspaceId, subject, clientIndex, sealedKey],
  );
  return rowCount === 1;
}
