import type { FiredOnEvent, WorkerReport } from './worker-report.ts';
import { EventTally, isFlagged } from './outcome-tally.ts';
import type { BacktestResult } from './result.ts';

/** An event that one policy flags and the other does not. */
export interface ChangedEvent {
  readonly change: 'newlyFlagged' | 'noLongerFlagged';
  /** As seen by the policy that flags it. */
  readonly event: FiredOnEvent;
}

type Decided = Pick<WorkerReport, 'fired' | 'waiting'>;

/**
 * Compares what two policies flagged, batch by batch. When one has closed a session and the other has not, an operation
 * in it is decided immediately by one and waits with the other: it stays open until both have decided it.
 */
export class ChangeTally {
  readonly #tallies = { newlyFlagged: new EventTally(), noLongerFlagged: new EventTally() };
  /** Flagged by one policy, still waiting with the other. */
  #open: readonly ChangedEvent[] = [];

  /** @returns the final differences */
  add(candidate: Decided, live: Decided): readonly ChangedEvent[] {
    const [newly, gone] = [
      flaggedIn(candidate, this.#open, 'newlyFlagged'),
      flaggedIn(live, this.#open, 'noLongerFlagged'),
    ];
    const [waitsLive, waitsCandidate] = [new Set(live.waiting), new Set(candidate.waiting)];
    const isOpen = ({ change, event: { offset } }: ChangedEvent): boolean =>
      (change === 'newlyFlagged' ? waitsLive : waitsCandidate).has(offset);
    const differing = [...onlyIn(newly, gone), ...onlyIn(gone, newly)];
    this.#open = differing.filter(isOpen);
    return this.#count(differing.filter((changed) => !isOpen(changed)));
  }

  /** Called at the end of the source. @returns what still waits with one of them */
  end(): readonly ChangedEvent[] {
    return this.#count(this.#open);
  }

  #count(changed: readonly ChangedEvent[]): readonly ChangedEvent[] {
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

/** What a policy has flagged so far, as the changes that they are unless the other policy flags them too. */
function flaggedIn(
  { fired }: Decided,
  open: readonly ChangedEvent[],
  change: ChangedEvent['change'],
): readonly ChangedEvent[] {
  const now = fired.filter(isFlagged).map((event): ChangedEvent => ({ change, event }));
  return [...open.filter((one) => one.change === change), ...now];
}

function onlyIn(first: readonly ChangedEvent[], second: readonly ChangedEvent[]): readonly ChangedEvent[] {
  const others = new Set(second.map(({ event }) => event.offset));
  return first.filter(({ event }) => !others.has(event.offset));
}
