import type { ModelExplanation } from '../../api/operations.generated.ts';

export interface WaterfallBar {
  readonly input: ModelExplanation['inputs'][number];
  /** Where the bar begins, and how long it is, in percent of the width. */
  readonly left: number;
  readonly width: number;
}

export interface Waterfall {
  readonly bars: readonly WaterfallBar[];
  /** Where the average and the result are, in percent of the width. */
  readonly from: number;
  readonly to: number;
}

/** Even the smallest contribution is visible. */
const widthMin = 0.5;

/** The way from the average to the result of a model, input by input, the largest contribution first. */
export function waterfallOf({ expected, inputs }: Pick<ModelExplanation, 'expected' | 'inputs'>): Waterfall {
  const sorted = inputs.toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const steps = [expected];
  for (const { contribution } of sorted) steps.push(steps.at(-1)! + contribution);
  const least = Math.min(...steps);
  const span = Math.max(...steps) - least;
  const place = (value: number): number => (span === 0 ? 0 : ((value - least) / span) * 100);
  return {
    bars: sorted.map((input, at) => {
      const [a, b] = [place(steps[at]!), place(steps[at + 1]!)];
      const width = Math.max(widthMin, Math.abs(b - a));
      return { input, left: Math.min(a, b, 100 - width), width };
    }),
    from: place(expected),
    to: place(steps.at(-1)!),
  };
}
