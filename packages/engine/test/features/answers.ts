import type { FactValue } from '@ringfence/policy';
import { type Draft, historyOf } from './arbitrary-features.ts';
import { valueByHand } from './by-hand.ts';
import { type BenchFeature, FeatureBench } from './feature-bench.ts';

type Answers = readonly FactValue[];

/** Every result of a history, by the engine and by hand. */
export function answersOf(
  specs: readonly BenchFeature[],
  drafts: readonly Draft[],
): { engine: readonly Answers[]; byHand: readonly Answers[] } {
  const bench = new FeatureBench(specs);
  const history = historyOf(drafts);
  const engine = history.map((event, index) => {
    const values = bench.put(event);
    if (drafts[index]!.restart) bench.restart();
    return values;
  });
  const byHand = history.map((event, index) => specs.map((spec) => valueByHand(spec, history.slice(0, index), event)));
  return { engine, byHand };
}

/** How far the last digits of a root, or of a sum of doubles, may differ. */
const roundings = 1e-12;
const roundedKinds: ReadonlySet<BenchFeature['kind']> = new Set(['stddev', 'profile']);

/** Results of the engine that differ from those by hand, beyond the last digits of a double. */
export function differing(
  specs: readonly BenchFeature[],
  { engine, byHand }: { readonly engine: readonly Answers[]; readonly byHand: readonly Answers[] },
): readonly object[] {
  const largest = specs.map((_, at) => Math.max(0, ...byHand.map((values) => Math.abs(Number(values[at] ?? 0)))));
  return engine.flatMap((values, row) =>
    values.flatMap((value, at) => {
      const wanted = byHand[row]![at];
      if (value === wanted) return [];
      const isRounded = roundedKinds.has(specs[at]!.kind) && value !== undefined && wanted !== undefined;
      if (isRounded && Math.abs(Number(value) - Number(wanted)) <= largest[at]! * roundings) return [];
      return [{ spec: specs[at]!, event: row, engine: value, byHand: wanted }];
    }),
  );
}
