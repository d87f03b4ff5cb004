import type { Facts, FactValue } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { PlannedGroup, PlannedUpdate, PlannedValue } from '../plan/planned-group.ts';
import type { SubjectId } from '../record.ts';

/** An event of which values are taken. */
interface Told {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
}

/**
 * What an event brings to the features of a group: those that it counts for, and the values that they are about. One
 * serves all events, so that nothing is made per event.
 */
export class Brought {
  /** By place among the group's values. */
  readonly #values: FactValue[] = [];
  readonly #updates: PlannedUpdate[] = [];
  /** Features that it counts for. */
  count = 0;

  /** Valid until the next event is taken. */
  take(group: PlannedGroup, event: Told): void {
    const { values, updates } = group;
    for (let place = 0; place < values.length; place++) this.#values[place] = valueOf(values[place]!, event);
    this.count = 0;
    for (const update of updates) {
      if (update.value >= 0 && this.#values[update.value] === undefined) continue;
      if (update.where !== undefined && update.where(event.facts) !== true) continue;
      this.#updates[this.count++] = update;
    }
  }

  update(place: number): PlannedUpdate {
    return this.#updates[place]!;
  }

  /** The value of a feature that it counts for. */
  value(place: number): FactValue {
    return this.#values[place];
  }
}

function valueOf({ slot, as }: PlannedValue, { facts, subject }: Told): FactValue {
  if (as === 'fact') return facts[slot];
  if (as === 'currency') return currencyText(facts[slot] as string | undefined);
  return as === 'subject' ? subject : factText(facts[slot]);
}

/** The currency that was told last: the same text for events that tell the same, so that two of them are soon compared. */
let usual = '';

/** "" for none. */
export function currencyText(told: string | undefined): string {
  const text = told ?? '';
  if (text !== usual) usual = text;
  return usual;
}
