import { Explainer } from '@ringfence/models';
import type { Model, Policy, TrainedModel } from '../policy.ts';
import { printFact } from '../facts/print-fact.ts';
import { resultOf } from '../run/model-run.ts';
import { inputReason, inputSentence } from '../words/input-words.ts';
import { type InWords, wordLanguages, type WordLanguage } from '../words/language.ts';

/** Why a model gave its result. Plain values. */
export interface ModelExplanation {
  readonly name: string;
  /** SHA-256 of its artifact, in hex. */
  readonly sha256: string;
  /** The probability of fraud. */
  readonly p: number;
  /** 0 to 1000, as a decimal; absent if the model has no score. */
  readonly score?: string;
  /** In log-odds. `expected` and all contributions sum to it. */
  readonly margin: number;
  /** The mean of the rows that it was trained on, in log-odds. */
  readonly expected: number;
  /** In the order of the model. */
  readonly inputs: readonly ExplainedInput[];
  /** What raised the probability most, the most first, at most four, in words for a letter to the client. */
  readonly reasons: Readonly<Record<WordLanguage, readonly string[]>>;
}

export interface ExplainedInput {
  readonly name: string;
  /** Its expression. */
  readonly text: string;
  /** As the model reads it; absent if it is missing. */
  readonly value?: number;
  /** What it adds to the log-odds. */
  readonly contribution: number;
  /** What it says, for people of the bank. */
  readonly words: InWords;
}

/** As many as letters of banks usually have. */
const reasonsMax = 4;

type Definitions = Pick<Policy, 'features' | 'ratios'>;

/** What a model read of an event. */
export interface ModelInputs {
  /** In the order of the model; NaN if missing. */
  readonly inputs: Float64Array;
  /** Of the event, for words. */
  readonly currency: string | undefined;
}

/** @returns `undefined` for a model that is not trained */
export function explainModel(
  definitions: Definitions,
  { name, trained, inputs: terms }: Model,
  { inputs, currency }: ModelInputs,
): ModelExplanation | undefined {
  if (trained === undefined) return undefined;
  const { expected, values } = new Explainer(trained.content).explain(inputs);
  const valued = terms.map((term, place) => {
    const value = Number.isNaN(inputs[place]!) ? undefined : inputs[place]!;
    return { term, value, definitions, currency, contribution: values[place]! };
  });
  const raised = byContribution(valued.filter(({ contribution }) => contribution > 0));
  const reasonsIn = (language: WordLanguage): readonly string[] =>
    [...new Set(raised.map((input) => inputReason(input, language)))].slice(0, reasonsMax);
  const margin = trained.ensemble.margin(inputs);
  return {
    name,
    sha256: trained.sha256,
    ...printedResult(trained, margin),
    margin,
    expected,
    inputs: valued.map((input) => ({
      name: input.term.name,
      text: input.term.text,
      ...(input.value === undefined ? {} : { value: input.value }),
      contribution: input.contribution,
      words: inEach((language) => inputSentence(input, language)),
    })),
    reasons: inEach(reasonsIn),
  };
}

function printedResult(trained: TrainedModel, margin: number): Pick<ModelExplanation, 'p' | 'score'> {
  const { p, score } = resultOf(trained, margin);
  return score === undefined ? { p } : { p, score: printFact(score, 'decimal') };
}

function inEach<Value>(make: (language: WordLanguage) => Value): Readonly<Record<WordLanguage, Value>> {
  const [en, es] = wordLanguages;
  return { en: make(en), es: make(es) };
}

/** The largest first. */
function byContribution<Input extends { readonly contribution: number }>(inputs: readonly Input[]): readonly Input[] {
  return inputs.toSorted((a, b) => b.contribution - a.contribution);
}

/** The inputs that raised the probability most, the most first. */
export function mostRaising({ inputs }: ModelExplanation, max: number): readonly ExplainedInput[] {
  return byContribution(inputs.filter(({ contribution }) => contribution > 0)).slice(0, max);
}

/**
 * Explains models from a decision's record: of each model that a fired rule reads, the record has the inputs.
 *
 * @param policy the version that decided
 * @returns nothing for a model whose result would differ from the recorded one
 */
export function explainKept(
  policy: Pick<Policy, 'features' | 'ratios' | 'models'>,
  fired: readonly { readonly facts: Readonly<Record<string, string>> }[],
  currency?: string,
): readonly ModelExplanation[] {
  return policy.models.flatMap((model) => {
    const { paths, inputs: terms, name } = model;
    const facts = fired.find((rule) => paths.some((path) => rule.facts[path] !== undefined))?.facts;
    if (facts === undefined) return [];
    const inputs = Float64Array.from(terms, (term) => Number(facts[`model.${name}.inputs.${term.name}`] ?? Number.NaN));
    const explanation = explainModel(policy, model, { inputs, currency });
    return explanation === undefined || !isRecorded(explanation, facts) ? [] : [explanation];
  });
}

/** Whether the results are those that the record has, as far as it has them. */
function isRecorded({ name, p, score, inputs }: ModelExplanation, facts: Readonly<Record<string, string>>): boolean {
  const missing = inputs.filter(({ value }) => value === undefined).length;
  const results: Readonly<Record<string, string | undefined>> = {
    p: printFact(p, 'double'),
    score,
    missing: String(missing),
  };
  return Object.entries(results).every(([result, text]) => {
    const recorded = facts[`model.${name}.${result}`];
    return recorded === undefined || recorded === text;
  });
}
