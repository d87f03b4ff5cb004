import { decimalOne, type Decimal } from '@ringfence/contract';
import { Explainer, probabilityOf, scoreOf } from '@ringfence/models';
import type { Facts } from '../facts/fact-value.ts';
import type { Model } from '../policy.ts';

const thousandth = decimalOne / 1_000n;

/** Why a model gave its result. */
export interface ModelExplanation {
  /** In log-odds. */
  readonly margin: number;
  /** The mean of what it was trained on. */
  readonly expected: number;
  readonly inputs: readonly ExplainedInput[];
}

export interface ExplainedInput {
  readonly name: string;
  /** Its expression. */
  readonly text: string;
  /** As the model reads it; `undefined` if it is missing. */
  readonly value: number | undefined;
  /** What it adds to the log-odds. */
  readonly contribution: number;
}

/** Evaluates one model. Holds working memory, so it belongs to one plan. */
export class ModelRun {
  readonly model: Model;
  readonly #inputs: Float64Array;
  /** Made when it is first needed. */
  #explainer: Explainer | undefined;

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

  /**
   * Why an event has its result; `undefined` if it has none. Contributions are in log-odds, and add up to those of the
   * result together with `expected`.
   */
  explain(facts: Facts): ModelExplanation | undefined {
    const { trained, inputs: terms } = this.model;
    const inputs = trained === undefined ? undefined : this.inputs(facts);
    if (trained === undefined || inputs === undefined) return undefined;
    const { expected, values } = (this.#explainer ??= new Explainer(trained.content)).explain(inputs);
    return {
      margin: trained.ensemble.margin(inputs),
      expected,
      inputs: terms.map(({ name, text }, place) => ({
        name,
        text,
        value: Number.isNaN(inputs[place]!) ? undefined : inputs[place]!,
        contribution: values[place]!,
      })),
    };
  }

  /** What the model reads of the event, valid until the next call; `undefined` if `where` is not true. */
  inputs(facts: Facts): Float64Array | undefined {
    const { where, inputs } = this.model;
    if (where !== undefined && where(facts) !== true) return undefined;
    for (let place = 0; place < inputs.length; place++) this.#inputs[place] = inputs[place]!.read(facts);
    return this.#inputs;
  }
}
