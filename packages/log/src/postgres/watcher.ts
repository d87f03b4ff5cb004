import type { Client, ClientConfig } from 'pg';
import type { GrowthListener } from '../log.ts';
import { rowsOf } from './rows.ts';
import { Session } from './session.ts';

/** The NOTIFY channel; the payload is as `growthPayload` writes it. */
export const logChannel = 'ringfence_log';
/** A notification can be lost with its connection; this often we look for ourselves. */
const pollEveryMs = 1_000;
/** A look that takes longer says that the connection hangs. */
const pollMsMax = 2_000;

/** What a notification says. Releases that name the partition alone are understood: then its end is not known. */
export function growthPayload(partition: string, end: number): string {
  return `${partition} ${end}`;
}

/** Learns of commits of every process: by LISTEN, and by looking at the heads once a second. */
export class Watcher {
  readonly #listeners = new Set<GrowthListener>();
  readonly #ends = new Map<string, number>();
  readonly #session: Session;
  readonly #timer: NodeJS.Timeout;
  #client: Client | undefined;
  #polling = false;

  constructor(connection: ClientConfig) {
    this.#session = new Session({
      connection: { ...connection, query_timeout: pollMsMax },
      prepare: [`LISTEN ${logChannel}`],
      onUp: (client) => {
        this.#client = client;
        client.on('notification', ({ payload = '' }) => {
          const [partition = '', end] = payload.split(' ');
          this.tell(partition, end === undefined ? Infinity : Number(end));
        });
        void this.#poll();
      },
      onDown: () => {
        this.#client = undefined;
      },
    });
    this.#timer = setInterval(() => void this.#poll(), pollEveryMs);
  }

  add(listener: GrowthListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(partition: string, end: number): void {
    for (const listener of this.#listeners) listener(partition, end);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#session.close();
  }

  async #poll(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#polling) return;
    this.#polling = true;
    try {
      const rows = await rowsOf<readonly [string, number]>(client, {
        text: 'SELECT partition, end_offset FROM log_partition',
      });
      for (const [partition, end] of rows) {
        if (this.#ends.get(partition) === end) continue;
        this.#ends.set(partition, end);
        this.tell(partition, end);
      }
    } catch {
      if (this.#client === client) this.#session.drop();
    } finally {
      this.#polling = false;
    }
  }
}
