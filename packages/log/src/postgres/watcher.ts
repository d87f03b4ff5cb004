import type { GrowthListener } from '../log.ts';
import type { Notifications } from './notifications.ts';
import { rowsOf } from './rows.ts';

/** The NOTIFY channel; `growthPayload` writes the payload. */
export const logChannel = 'ringfence_log';
/** The polling interval, because notifications are lost with their connection. */
const pollEveryMs = 1_000;

/** The payload of a notification. Old releases send only the partition: the end is then unknown. */
export function growthPayload(partition: string, end: number): string {
  return `${partition} ${end}`;
}

/** Detects commits of every process: by LISTEN, and by polling the heads once a second. */
export class Watcher {
  readonly #notifications: Notifications;
  readonly #listeners = new Set<GrowthListener>();
  readonly #ends = new Map<string, number>();
  readonly #hearNoMore: () => void;
  readonly #timer: NodeJS.Timeout;
  #polling = false;

  constructor(notifications: Notifications) {
    this.#notifications = notifications;
    this.#hearNoMore = notifications.hear(logChannel, {
      told: (payload) => {
        const [partition = '', end] = payload.split(' ');
        this.tell(partition, end === undefined ? Infinity : Number(end));
      },
      listening: () => void this.#poll(),
    });
    this.#timer = setInterval(() => void this.#poll(), pollEveryMs);
  }

  add(listener: GrowthListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @returns whether a listener has brought the records to the thread that reads them */
  tell(...grown: Parameters<GrowthListener>): boolean {
    let isBrought = false;
    for (const listener of this.#listeners) if (listener(...grown) === true) isBrought = true;
    return isBrought;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#hearNoMore();
    this.#listeners.clear();
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    const heads = await this.#notifications.ask((client) =>
      rowsOf<readonly [string, number]>(client, { text: 'SELECT partition, end_offset FROM log_partition' }),
    );
    this.#polling = false;
    for (const [partition, end] of heads ?? []) {
      if (this.#ends.get(partition) === end) continue;
      this.#ends.set(partition, end);
      this.tell(partition, end);
    }
  }
}
