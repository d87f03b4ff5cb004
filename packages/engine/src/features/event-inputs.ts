import type { Facts, FactValue } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { PlannedGroup, PlannedUpdate, PlannedValue } from '../plan/planned-group.ts';
import type { SubjectId } from '../record.ts';

/** An event whose values are read. */
interface InputEvent {
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
  /** The last currency. Reusing the same string object makes comparing two equal currencies cheap. */
  #usualCurrency = '';
  /** Number of features that the event counts for. */
  count = 0;

  /** Reads an event. The result is valid until the next event is read. */
  take(group: PlannedGroup, event: InputEvent): void {
    const { values, updates } = group;
    for (let place = 0; place < values.length; place++) this.#values[place] = this.#valueOf(values[place]!, event);
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

  /** The currency of an event; "" if there is none. */
  currencyText(stated: string | undefined): string {
    const text = stated ?? '';
    if (text !== this.#usualCurrency) this.#usualCurrency = text;
    return this.#usualCurrency;
  }

  #valueOf({ slot, as }: PlannedValue, { facts, subject }: InputEvent): FactValue {
    if (as === 'fact') return facts[slot];
    if (as === 'currency') return this.currencyText(facts[slot] as string | undefined);
    return as === 'subject' ? subject : factText(facts[slot]);
  }
}
