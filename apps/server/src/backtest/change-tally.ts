import type { FiredOnEvent } from './lane-report.ts';
import { EventTally, isFlagged } from './outcome-tally.ts';
import type { BacktestResult } from './result.ts';

/** An event that one policy flags and the other does not. */
export interface ChangedEvent {
  readonly change: 'newlyFlagged' | 'noLongerFlagged';
  /** As the policy saw it that flags it. */
  readonly event: FiredOnEvent;
}

/** Compares what two policies flagged, batch by batch: they decide each event within the same batch. */
export class ChangeTally {
  readonly #tallies = { newlyFlagged: new EventTally(), noLongerFlagged: new EventTally() };

  /** @returns what differs, in the order of the events' numbers */
  add(candidate: readonly FiredOnEvent[], live: readonly FiredOnEvent[]): readonly ChangedEvent[] {
    const changed = [
      ...onlyIn(candidate, live).map((event): ChangedEvent => ({ change: 'newlyFlagged', event })),
      ...onlyIn(live, candidate).map((event): ChangedEvent => ({ change: 'noLongerFlagged', event })),
    ];
    for (const { change, event } of changed) this.#tallies[change].add(event);
    return changed;
  }

  result(): NonNullable<BacktestResult['changes']> {
    const { newlyFlagged, noLongerFlagged } = this.#tallies;
    return {
      newlyFlagged: { ...newlyFlagged.counts, money: newlyFlagged.money },
      noLongerFlagged: { ...noLongerFlagged.counts, money: noLongerFlagged.money },
    };
  }
}

/** Events that are flagged in the first and not in the second. */
function onlyIn(first: readonly FiredOnEvent[], second: readonly FiredOnEvent[]): readonly FiredOnEvent[] {
  const flagged = new Set(second.filter(isFlagged).map(({ offset }) => offset));
  return first.filter((event) => isFlagged(event) && !flagged.has(event.offset));
}
