import { dayMs } from '@ringfence/contract';
import { actionTimesMax } from '../limits.ts';

/** No cap has a longer window. */
const reachMs = dayMs;

/**
 * When actions of a rule were delivered, for its cap: as many of the last ones as the cap can count, of the last day.
 */
export class ActionTimes {
  #timesMs: number[] = [];

  get timesMs(): readonly number[] {
    return this.#timesMs;
  }

  /** Whether one more at `nowMs` stays within `count` per `perMs`. Windows are `(nowMs - perMs, nowMs]`. */
  hasRoom(bound: { readonly count: number; readonly perMs: number }, nowMs: number): boolean {
    const count = Math.min(bound.count, actionTimesMax);
    const oldest = this.#timesMs.at(-count);
    return count > 0 && (this.#timesMs.length < count || oldest === undefined || oldest <= nowMs - bound.perMs);
  }

  /** @param remembered how many to keep at least, even if the cap counts fewer */
  note(nowMs: number, bound: { readonly count: number }, remembered: number): void {
    this.#timesMs.push(nowMs);
    const kept = Math.max(Math.min(bound.count, actionTimesMax), remembered);
    // Keeps up to twice as many, for up to twice as long, so that the list is trimmed rarely and not at every action.
    if (this.#timesMs.length <= 2 * kept && this.#timesMs[0]! > nowMs - 2 * reachMs) return;
    this.#timesMs = this.#timesMs.slice(-kept).filter((atMs) => atMs > nowMs - reachMs);
  }

  /** Restores times from a snapshot. */
  static of(timesMs: readonly number[]): ActionTimes {
    const times = new ActionTimes();
    times.#timesMs = [...timesMs];
    return times;
  }
}
