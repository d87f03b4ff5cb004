import { dayMs } from '@ringfence/contract';
import { actionTimesMax } from '../limits.ts';

/** No cap looks further back. */
const reachMs = dayMs;

/** When a rule's actions went out, for its `maxActions`: the last ones, as many as the bound looks at, and those of the last day. */
export class ActionTimes {
  #timesMs: number[] = [];

  get timesMs(): readonly number[] {
    return this.#timesMs;
  }

  /** Whether one more at `nowMs` stays within `count` per `perMs`, windows being `(nowMs - perMs, nowMs]`. */
  hasRoom(bound: { readonly count: number; readonly perMs: number }, nowMs: number): boolean {
    const count = Math.min(bound.count, actionTimesMax);
    const oldest = this.#timesMs.at(-count);
    return count > 0 && (this.#timesMs.length < count || oldest === undefined || oldest <= nowMs - bound.perMs);
  }

  /** @param remembered how many are kept though the bound looks at fewer */
  note(nowMs: number, bound: { readonly count: number }, remembered: number): void {
    this.#timesMs.push(nowMs);
    const kept = Math.max(Math.min(bound.count, actionTimesMax), remembered);
    // Twice as many and twice as long as is looked at, so that the list is cut once in a while and not at every action.
    if (this.#timesMs.length <= 2 * kept && this.#timesMs[0]! > nowMs - 2 * reachMs) return;
    this.#timesMs = this.#timesMs.slice(-kept).filter((atMs) => atMs > nowMs - reachMs);
  }

  /** Times as they were kept. */
  static of(timesMs: readonly number[]): ActionTimes {
    const times = new ActionTimes();
    times.#timesMs = [...timesMs];
    return times;
  }
}
