import type { EpochMs } from '@ringfence/contract';
import { uptime } from 'node:os';

/**
 * How much faster or slower than real time the clock runs while it differs from the machine's: it makes up for an hour
 * in ten hours.
 */
const makingUp = 0.1;
/** The normal difference between clocks that were not changed. */
const agreesMs = 1_000;

/** The sources of time; replaced in tests. */
export interface TimeSources {
  /** The machine's wall clock, ms since 1970. */
  readonly machineMs: () => number;
  /** A monotonic clock; it may stop while the machine sleeps. */
  readonly monotonicMs: () => number;
  /** A monotonic clock that continues during sleep. Slower to read. */
  readonly bootMs: () => number;
}

const system: TimeSources = {
  machineMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  bootMs: () => uptime() * 1_000,
};

/**
 * The clock that stamps records and decides what is due. It starts with the machine's time. When that is changed, this
 * clock does not jump: it runs a tenth faster or slower until both agree. A jump forward would end all sessions and
 * expire all actions; with a time that goes back or stops, nothing would become due.
 *
 * ```
 *            set back, then forward
 * machine  ─────┐       ┌─────╱
 *               └───────┘
 * this     ──────────────────╱
 * ```
 */
export class LogClock {
  readonly #from: TimeSources;
  #atMs: number;
  /** The last reading, on the monotonic clock. */
  #readAtMs: number;
  /** How long the machine has slept. */
  #asleepMs: number;

  constructor(from: TimeSources = system) {
    this.#from = from;
    this.#atMs = from.machineMs();
    this.#readAtMs = from.monotonicMs();
    this.#asleepMs = from.bootMs() - this.#readAtMs;
  }

  readonly read = (): EpochMs => {
    const readAtMs = this.#from.monotonicMs();
    const goneMs = readAtMs - this.#readAtMs;
    this.#readAtMs = readAtMs;
    this.#atMs += goneMs;
    const apartMs = this.#from.machineMs() - this.#atMs;
    const makesUpMs = makingUp * goneMs;
    this.#atMs += Math.max(-makesUpMs, Math.min(makesUpMs, apartMs));
    return Math.floor(this.#atMs) as EpochMs;
  };

  /**
   * A record was stamped with this time by another clock or before a restart: from now on this clock is not earlier.
   */
  atLeast(logTimeMs: number): void {
    this.#atMs = Math.max(this.read(), logTimeMs);
  }

  /** Accounts for the time that the machine has slept. To be called about every second. */
  wake(): void {
    if (this.machineAheadMs < agreesMs) return;
    const asleepMs = this.#from.bootMs() - this.#from.monotonicMs();
    const sleptMs = asleepMs - this.#asleepMs;
    this.#asleepMs = asleepMs;
    if (sleptMs > agreesMs) this.#atMs += Math.min(sleptMs, this.machineAheadMs);
  }

  /** How far ahead the machine's clock is; negative when it is behind. */
  get machineAheadMs(): number {
    return this.#from.machineMs() - this.read();
  }
}
