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
    const { trained, slots } = this.model;
    if (trained === undefined) return;
    const inputs = this.inputs(facts);
    if (inputs === undefined) return;
    const margin = trained.ensemble.margin(inputs);
    facts[slots.p] = probabilityOf(margin);
    if (trained.scores !== undefined)
      facts[slots.score] = (BigInt(scoreOf(trained.scores, margin)) * thousandth) as Decimal;
    facts[slots.missing] = inputs.reduce((missing, value) => missing + (Number.isNaN(value) ? 1 : 0), 0);
  }

  /** What the model reads of the event, valid until the next call; `undefined` if `where` is not true. */
  inputs(facts: Facts): Float64Array | undefined {
    const { where, inputs } = this.model;
    if (where !== undefined && where(facts) !== true) return undefined;
    for (let place = 0; place < inputs.length; place++) this.#inputs[place] = inputs[place]!.read(facts);
    return this.#inputs;
  }
}
