import type { EpochMs } from '@ringfence/contract';
import { uptime } from 'node:os';

/** By how much it is faster or slower than time while the machine's clock is elsewhere: an hour is made up for in ten. */
const makingUp = 0.1;
/** What clocks differ by without anybody having set one. */
const agreesMs = 1_000;

/** Where the time comes from; tests have their own. */
export interface TimeSources {
  /** What the machine says it is, ms since 1970. */
  readonly machineMs: () => number;
  /** Of a clock that never jumps; it may stand still while the machine sleeps. */
  readonly monotonicMs: () => number;
  /** Of one that never jumps and goes on meanwhile. Slower to read. */
  readonly bootMs: () => number;
}

const system: TimeSources = {
  machineMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  bootMs: () => uptime() * 1_000,
};

/**
 * The clock by which records are stamped, and by which what is waited for becomes due. It is the machine's when a process
 * starts. When that is set, it does not jump: it goes on a tenth faster or slower until both agree. A jump forward would
 * end all sessions and let all actions expire; a time that goes back or stands still would let nothing become due.
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
  /** When it was read last, by the clock that never jumps. */
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

  /** A record was stamped with this time, by another clock or before a restart: this one is not earlier from now on. */
  atLeast(logTimeMs: number): void {
    this.#atMs = Math.max(this.read(), logTimeMs);
  }

  /** Takes the time into account that the machine has slept. To be called every second or so. */
  wake(): void {
    if (this.machineAheadMs < agreesMs) return;
    const asleepMs = this.#from.bootMs() - this.#from.monotonicMs();
    const sleptMs = asleepMs - this.#asleepMs;
    this.#asleepMs = asleepMs;
    if (sleptMs > agreesMs) this.#atMs += Math.min(sleptMs, this.machineAheadMs);
  }

  /** How far ahead the machine's clock is; negative where it is behind. */
  get machineAheadMs(): number {
    return this.#from.machineMs() - this.read();
  }
}
