import type { Facts } from '../facts/fact-value.ts';
import type { Bound, Compiled, Run } from './compiled.ts';
import type { Type } from './type.ts';
import type { Value } from './value.ts';

/**
 * The state of one running `list.exists(x, …)` or similar form: the current item, and parts that do not depend on the
 * item and are computed once. A condition runs to its end before another starts, so one place for each is enough.
 */
export class Loop implements Bound {
  readonly item: Compiled;
  /** Costs of the parts that are computed once. */
  hoistedCost = 0;
  #value: Value;
  readonly #hoisted: Hoisted[] = [];

  constructor(type: Type, of: { readonly size: number; readonly length: number; readonly isBuilt: boolean }) {
    this.item = { type, run: () => this.#value, constant: false, ...of, reads: [], needs: [], cost: 1 };
  }

  begin(): void {
    for (const hoisted of this.#hoisted) hoisted.forget();
  }

  look(value: Value): void {
    this.#value = value;
  }

  /** For a part of the loop's condition that does not depend on the item. */
  hoist(part: Compiled): Compiled {
    const hoisted = new Hoisted(part.run);
    this.#hoisted.push(hoisted);
    this.hoistedCost += part.cost;
    const { slot: _, ...rest } = part;
    return { ...rest, run: hoisted.run, cost: 1 };
  }
}

class Hoisted {
  readonly #compute: Run;
  #isKnown = false;
  #value: Value;

  constructor(compute: Run) {
    this.#compute = compute;
  }

  forget(): void {
    this.#isKnown = false;
  }

  readonly run = (facts: Facts): Value => {
    if (!this.#isKnown) {
      this.#value = this.#compute(facts);
      this.#isKnown = true;
    }
    return this.#value;
  };
}
