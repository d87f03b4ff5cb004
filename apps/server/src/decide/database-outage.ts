import { secondMs } from '@ringfence/contract';

/**
 * What a process needs in order to decide: the connection that holds its partitions, and connections on which its hosts
 * read and write.
 */
export type Need = 'partitions' | 'hosts';

/** A database restart, and a failover to another process, are faster. */
const standingMsMax = 10 * secondMs;

interface Lack {
  readonly sinceMs: number;
  readonly why: unknown;
}

/**
 * Tracks whether a process that should decide does not, because it cannot reach the database. Another process may be
 * healthy at the same time. See docs/internals/ownership-and-outages.md.
 */
export class DatabaseOutage {
  readonly #lacks = new Map<Need, Lack>();

  /** Records that `need` is missing since `sinceMs` of a monotonic clock. An earlier start is kept. */
  missed(need: Need, lack: Lack): void {
    this.#lacks.set(need, { ...lack, sinceMs: this.#lacks.get(need)?.sinceMs ?? lack.sinceMs });
  }

  found(need: Need): void {
    this.#lacks.delete(need);
  }

  /** For how long it has been missing; 0 when it is not. */
  missedMs(need: Need, nowMs: number): number {
    return nowMs - (this.#lacks.get(need)?.sinceMs ?? nowMs);
  }

  /** @throws Error with the cause, once something has been missing for 10 s */
  check(nowMs: number): void {
    for (const { sinceMs, why } of this.#lacks.values()) {
      if (nowMs - sinceMs < standingMsMax) continue;
      throw new Error('this process cannot decide events: the database is unreachable', { cause: why });
    }
  }
}
