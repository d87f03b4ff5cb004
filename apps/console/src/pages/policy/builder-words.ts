import {
  completions,
  factDefinition,
  type FactType,
  loadPolicy,
  type PolicyFile,
  type PolicyList,
  typeOfResult,
} from '@ringfence/policy';
import { type BuilderCondition, type BuilderRow, comparisons, isGroup, isValueText } from './builder-condition.ts';

/** The names that conditions of a policy can use. */
export interface BuilderWords {
  /** Features first, then facts. */
  readonly facts: readonly { readonly path: string; readonly doc: string }[];
  readonly lists: readonly PolicyList[];
  /** The type of a fact, feature or parameter; `undefined` for an unknown or computed one. */
  readonly typeOf: (fact: string) => FactType | undefined;
}

/** @returns facts alone if the policy does not load */
export function builderWords(files: readonly PolicyFile[]): BuilderWords {
  const loaded = loadPolicy(files);
  const { features, ratios, models, lists, params } = loaded.ok
    ? loaded.policy
    : { features: [], ratios: [], models: [], lists: [], params: [] };
  const own = new Map<string, FactType>([
    ...features.flatMap(({ paths, type }) => paths.map((path) => [path, type] as const)),
    ...ratios.map(({ name }) => [name, 'double'] as const),
    ...models.flatMap(({ paths }) => paths.map((path) => [path, typeOfResult(path)] as const)),
  ]);
  const settings = new Map<string, FactType>(params.map(({ name, type }) => [`params.${name}`, type]));
  return {
    facts: [
      ...Array.from(own.keys(), (path) => ({ path, doc: '' })),
      ...completions().flatMap(({ kind, label, doc }) =>
        kind === 'fact' && factDefinition(label) !== undefined ? [{ path: label, doc }] : [],
      ),
    ],
    lists,
    typeOf: (fact) => own.get(fact) ?? factDefinition(fact)?.type ?? settings.get(fact),
  };
}

/** The words of the `where` of a feature: facts and lists, but no features. */
export function factWords({ facts, lists }: BuilderWords): BuilderWords {
  const typeOf = (fact: string): FactType | undefined => factDefinition(fact)?.type;
  return { facts: facts.filter(({ path }) => typeOf(path) !== undefined), lists, typeOf };
}

/** The lists in which a fact can be looked up; those that were declared for this fact come first. */
export function fittingLists(fact: string, { lists, typeOf }: BuilderWords): readonly PolicyList[] {
  const type = typeOf(fact);
  const isAddress = factDefinition(fact)?.isAddress === true;
  // The type of what is computed is not known here; the compiler checks it.
  const fitting = lists.filter(
    (list) => list.of.length === 1 && (type === undefined || (list.type === type && (isAddress || !list.isAddress))),
  );
  return fitting.toSorted((a, b) => Number(b.of.includes(fact)) - Number(a.of.includes(fact)));
}

/** Values to suggest for a fact, as they are written. */
export function suggestedValues(fact: string, { typeOf }: BuilderWords): readonly string[] {
  if (typeOf(fact) === 'bool') return ['true', 'false'];
  return (factDefinition(fact)?.values ?? []).map((value) => JSON.stringify(value));
}

/** The condition with quotes around texts that were typed without: `MXN` as the value of `order.currency`. */
export function withQuotes(condition: BuilderCondition, words: BuilderWords): BuilderCondition {
  const quoted = (row: BuilderRow): BuilderRow => quotedRow(row, words);
  return {
    ...condition,
    parts: condition.parts.map((part) => (isGroup(part) ? { rows: part.rows.map(quoted) } : quoted(part))),
  };
}

function quotedRow(row: BuilderRow, { typeOf }: BuilderWords): BuilderRow {
  const value = row.value.trim();
  const isComparison = comparisons.some((one) => one === row.operator);
  if (!isComparison || value === '' || /^["']/.test(value) || typeOf(row.fact.trim()) !== 'string') return row;
  const isName = /^[\w.]+$/.test(value) && typeOf(value) === undefined;
  return isName || !isValueText(value) ? { ...row, value: JSON.stringify(value) } : row;
}
