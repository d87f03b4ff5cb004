import { decimalOne, type Decimal } from '@ringfence/contract';
import { probabilityOf, scoreOf } from '@ringfence/models';
import type { Facts } from '../facts/fact-value.ts';
import type { Model } from '../policy.ts';

const thousandth = decimalOne / 1_000n;

/** Evaluates one model. Holds working memory, so it belongs to one plan. */
export class ModelRun {
  readonly model: Model;
  readonly #inputs: Float64Array;

  constructor(model: Model) {
    this.model = model;
    this.#inputs = new Float64Array(model.inputs.length);
  }

  /**
   * Fills in the results of an event whose facts and features are filled in. If `where` is not true, they stay missing:
   * no result is ever a default.
   */
  fill(facts: Facts): void {
    const { where, ensemble, scores, slots } = this.model;
    if (where !== undefined && where(facts) !== true) return;
    const margin = ensemble.margin(this.#read(facts));
    facts[slots.p] = probabilityOf(margin);
    if (scores !== undefined) facts[slots.score] = (BigInt(scoreOf(scores, margin)) * thousandth) as Decimal;
    facts[slots.missing] = this.#missing();
  }

  #read(facts: Facts): Float64Array {
    const { inputs } = this.model;
    for (let place = 0; place < inputs.length; place++) this.#inputs[place] = inputs[place]!.read(facts);
    return this.#inputs;
  }

  #missing(): number {
    let missing = 0;
    for (const value of this.#inputs) if (Number.isNaN(value)) missing++;
    return missing;
  }
}
