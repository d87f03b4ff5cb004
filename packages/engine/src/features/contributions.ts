import type { FactValue } from '@ringfence/policy';

/** What an event brings to one feature. */
export interface Contribution {
  /** The feature's place in the layout. */
  index: number;
  /** The value that it is about; of `distinct` as a text, `undefined` for features about nothing but the event. */
  value: FactValue;
  /** "" where the event names none; `undefined` where amounts are not kept per currency. */
  currency: string | undefined;
}

/** What an event brings to the features of a group. One list serves all events, so that nothing is made per event. */
export class Contributions {
  readonly #items: Contribution[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(place: number): Contribution {
    return this.#items[place]!;
  }

  clear(): void {
    this.#length = 0;
  }

  add(index: number, value: FactValue, currency: string | undefined): void {
    const item = this.#items[this.#length++];
    if (item === undefined) {
      this.#items.push({ index, value, currency });
      return;
    }
    item.index = index;
    item.value = value;
    item.currency = currency;
  }
}
