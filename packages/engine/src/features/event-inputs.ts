import type { Facts, FactValue } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { PlannedGroup, PlannedUpdate, PlannedValue } from '../plan/planned-group.ts';
import type { SubjectId } from '../record.ts';

/** An event whose values are read. */
interface Told {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
}

/**
 * The features of a group that an event counts for, and their values. One instance serves all events, so that nothing
 * is allocated per event.
 */
export class EventInputs {
  /** By index into the group's values. */
  readonly #values: FactValue[] = [];
  readonly #updates: PlannedUpdate[] = [];
  /** Number of features that the event counts for. */
  count = 0;

  /** Reads an event. The result is valid until the next event is read. */
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

  /** A value of the group, by its index. */
  value(place: number): FactValue {
    return this.#values[place];
  }
}

function valueOf({ slot, as }: PlannedValue, { facts, subject }: Told): FactValue {
  if (as === 'fact') return facts[slot];
  if (as === 'currency') return currencyText(facts[slot] as string | undefined);
  return as === 'subject' ? subject : factText(facts[slot]);
}

/** The last currency. Reusing the same string object makes comparing two equal currencies cheap. */
let usual = '';

/** "" if there is none. */
export function currencyText(told: string | undefined): string {
  const text = told ?? '';
  if (text !== usual) usual = text;
  return usual;
}
