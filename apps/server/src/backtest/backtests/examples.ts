import type { ChangedEvent } from './change-tally.ts';
import type { FiredOnEvent } from './worker-report.ts';
import { scattered, BottomKSample } from './bottom-k-sample.ts';

/** Examples of one rule, and of each kind of change: as many as a person looks at. */
const ofRuleMax = 5;
const ofChangeMax = 20;

export type ExampleList = 'rule' | ChangedEvent['change'];

/** One event, shown as an example. */
export interface Example {
  readonly list: ExampleList;
  /** The rule that it is an example of; `undefined` for a change. */
  readonly reason: number | undefined;
  readonly event: FiredOnEvent;
}

/** Samples examples uniformly from all events, the same ones in every run. */
export class ExamplePicker {
  readonly #ofRules = new Map<number, BottomKSample<FiredOnEvent>>();
  readonly #ofChanges = {
    newlyFlagged: new BottomKSample<FiredOnEvent>(ofChangeMax),
    noLongerFlagged: new BottomKSample<FiredOnEvent>(ofChangeMax),
  };

  /** Adds an event as seen by the candidate. */
  add(event: FiredOnEvent): void {
    for (const { reason } of event.rules) {
      let picked = this.#ofRules.get(reason);
      if (picked === undefined) {
        picked = new BottomKSample(ofRuleMax);
        this.#ofRules.set(reason, picked);
      }
      picked.add(scattered(event.offset), event);
    }
  }

  addChange({ change, event }: ChangedEvent): void {
    this.#ofChanges[change].add(scattered(event.offset), event);
  }

  /** Each list in the order of time. */
  result(): readonly Example[] {
    const ofRules = [...this.#ofRules]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([reason, picked]) => inOrder(picked).map((event): Example => ({ list: 'rule', reason, event })));
    const ofChanges = (['newlyFlagged', 'noLongerFlagged'] as const).flatMap((list) =>
      inOrder(this.#ofChanges[list]).map((event): Example => ({ list, reason: undefined, event })),
    );
    return [...ofRules, ...ofChanges];
  }
}

function inOrder(picked: BottomKSample<FiredOnEvent>): readonly FiredOnEvent[] {
  return picked.items().toSorted((a, b) => a.offset - b.offset);
}
