import { decimalOne, type Decimal } from '@ringfence/contract';
import { calibratedProbability, scoreOf } from '@ringfence/models';
import type { Facts } from '../facts/fact-value.ts';
import type { Model, TrainedModel } from '../policy.ts';

const thousandth = decimalOne / 1_000n;

/** A model's probability, and its score if it has one. @param margin in log-odds */
export function resultOf(
  { content, scores }: Pick<TrainedModel, 'content' | 'scores'>,
  margin: number,
): { readonly p: number; readonly score: Decimal | undefined } {
  const score = scores && ((BigInt(scoreOf(scores, margin)) * thousandth) as Decimal);
  return { p: calibratedProbability(content, margin), score };
}

/** What a model was given for an event, and its result. */
export interface ModelEvaluation {
  readonly model: Model;
  /** As the model reads them; valid until its next evaluation. NaN is missing. */
  readonly inputs: Float64Array;
  /** In log-odds. */
  readonly margin: number;
}

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
   *
   * @returns `undefined` without a result
   */
  fill(facts: Facts): ModelEvaluation | undefined {
    const { model } = this;
    const { trained, slots } = model;
    if (trained === undefined) return undefined;
    const inputs = this.inputs(facts);
    if (inputs === undefined) return undefined;
    const margin = trained.ensemble.margin(inputs);
    const { p, score } = resultOf(trained, margin);
    facts[slots.p] = p;
    if (score !== undefined) facts[slots.score] = score;
    facts[slots.missing] = inputs.reduce((missing, value) => missing + (Number.isNaN(value) ? 1 : 0), 0);
    return { model, inputs, margin };
  }

  /** What the model reads of the event, by `model.NAME.inputs.INPUT`, with the digits that identify each number. */
  readonly printed = (facts: Facts): Readonly<Record<string, string>> => {
    const { trained, name, inputs: terms } = this.model;
    const inputs = trained === undefined ? undefined : this.inputs(facts);
    if (inputs === undefined) return {};
    const known = terms.flatMap((term, place) =>
      Number.isNaN(inputs[place]!) ? [] : [[`model.${name}.inputs.${term.name}`, String(inputs[place]!)] as const],
    );
    return Object.fromEntries(known);
  };

  /** What the model reads of the event, valid until the next call; `undefined` if `where` is not true. */
  inputs(facts: Facts): Float64Array | undefined {
    const { where, inputs } = this.model;
    if (where !== undefined && where(facts) !== true) return undefined;
    for (let place = 0; place < inputs.length; place++) this.#inputs[place] = inputs[place]!.read(facts);
    return this.#inputs;
  }
}
