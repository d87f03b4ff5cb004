import { secondMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import type { ChannelNote } from './ingest-deps.ts';

/** How stale the displayed sightings may be. */
const writeMs = 5 * secondMs;
/** Channels kept per workspace and process. A bank has a handful; a client's mistake must not fill the table. */
const channelsMax = 256;

interface Sighting {
  configured: boolean;
  firstMs: number;
  lastMs: number;
  /** Since the last write. */
  events: number;
}

export interface SeenChannel {
  readonly channelId: number;
  /**
   * Whether the workspace configures this channel. Events of other channels are accepted, but are probably a mistake.
   */
  readonly configured: boolean;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly events: number;
}

export interface ChannelSightingsOptions {
  readonly pool: Pick<Pool, 'query'>;
  readonly onError: (error: unknown) => void;
}

/** The channels that events come from, configured or not, for the warnings of the integration page. */
export class ChannelSightings {
  readonly #options: ChannelSightingsOptions;
  readonly #workspaces = new Map<string, Map<number, Sighting>>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ChannelSightingsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), writeMs).unref();
  }

  note({ workspaceId, channelId, configured, atMs }: ChannelNote): void {
    let channels = this.#workspaces.get(workspaceId);
    if (channels === undefined) this.#workspaces.set(workspaceId, (channels = new Map<number, Sighting>()));
    const sighting = channels.get(channelId);
    if (sighting !== undefined) {
      sighting.configured = configured;
      sighting.lastMs = atMs;
      sighting.events++;
    } else if (configured || channels.size < channelsMax) {
      channels.set(channelId, { configured, firstMs: atMs, lastMs: atMs, events: 1 });
    }
  }

  /**
   * Adds the noted events to the table. Runs one write at a time and never rejects; a failed write is retried with the
   * next.
   */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeOnce());
    return this.#writing;
  }

  async list(workspaceId: string): Promise<readonly SeenChannel[]> {
    const found = await this.#options.pool.query<StoredRow>(
      `select channel_id, configured, first_seen_at, last_seen_at, events::text from channel_seen
       where workspace_id = $1 order by channel_id`,
      [workspaceId],
    );
    return found.rows.map((row) => ({
      channelId: row.channel_id,
      configured: row.configured,
      firstSeenAt: row.first_seen_at.toISOString(),
      lastSeenAt: row.last_seen_at.toISOString(),
      events: Number(row.events),
    }));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #writeOnce(): Promise<void> {
    const rows = this.#unwritten();
    if (rows.length === 0) return;
    try {
      await this.#options.pool.query(upsert, [JSON.stringify(rows)]);
    } catch (error) {
      this.#options.onError(error);
      return;
    }
    // Events noted during the write stay counted.
    for (const row of rows) this.#workspaces.get(row.workspaceId)!.get(row.channelId)!.events -= row.events;
  }

  #unwritten() {
    return [...this.#workspaces].flatMap(([workspaceId, channels]) =>
      [...channels]
        .filter(([, sighting]) => sighting.events > 0)
        .map(([channelId, sighting]) => ({ workspaceId, channelId, ...sighting })),
    );
  }
}

const upsert = `
insert into channel_seen as kept (workspace_id, channel_id, configured, first_seen_at, last_seen_at, events)
select "workspaceId", "channelId", configured, to_timestamp("firstMs" / 1000.0), to_timestamp("lastMs" / 1000.0), events
from json_to_recordset($1) as n ("workspaceId" text, "channelId" integer, configured boolean, "firstMs" bigint,
  "lastMs" bigint, events bigint)
order by "workspaceId", "channelId"
on conflict (workspace_id, channel_id) do update set
  configured = case when excluded.last_seen_at < kept.last_seen_at then kept.configured else excluded.configured end,
  first_seen_at = least(kept.first_seen_at, excluded.first_seen_at),
  last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at), events = kept.events + excluded.events`;

interface StoredRow {
  readonly channel_id: number;
  readonly configured: boolean;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly events: string;
}
