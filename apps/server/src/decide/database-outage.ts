import { secondMs } from '@ringfence/contract';

/**
 * What a process cannot decide without: a connection that holds its partitions, and connections on which the hosts of
 * those read and write.
 */
export type Need = 'partitions' | 'hosts';

/** A database that is started again, and another process that takes over, are quicker. */
const standingMsMax = 10 * secondMs;

interface Lack {
  readonly sinceMs: number;
  readonly why: unknown;
}

/**
 * Whether a process that is meant to decide decides nothing because it cannot reach the database. Another process may be
 * well at the same time. See docs/internals/ownership-and-outages.md.
 */
export class Standstill {
  readonly #lacks = new Map<Need, Lack>();

  /** It is missed since `sinceMs`, of a clock that never jumps. What is missed already stays so since then. */
  missed(need: Need, lack: Lack): void {
    this.#lacks.set(need, { ...lack, sinceMs: this.#lacks.get(need)?.sinceMs ?? lack.sinceMs });
  }

  found(need: Need): void {
    this.#lacks.delete(need);
  }

  /** For how long it has been missed; 0 when it is not. */
  missedMs(need: Need, nowMs: number): number {
    return nowMs - (this.#lacks.get(need)?.sinceMs ?? nowMs);
  }

  /** @throws Error that says why, once something is missed for 10 s */
  check(nowMs: number): void {
    for (const { sinceMs, why } of this.#lacks.values()) {
      if (nowMs - sinceMs < standingMsMax) continue;
      throw new Error('this process decides nothing: it cannot reach the database', { cause: why });
    }
  }
}
