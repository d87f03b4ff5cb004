import { describe, expect, it } from 'vitest';
import { foldMeasures, modelCard, type CardContent } from '../../src/training/model-card.ts';
import { samplingDefault } from '../../src/training/sampling.ts';
import { trainingDefaults } from '../../src/training/settings.ts';
import { scored } from '../measures/scored.ts';

const amounts = Float64Array.from({ length: 500 }, (_, row) => 1_000_000.125 + row);
const content: CardContent = {
  name: 'cards',
  sha256: 'f'.repeat(64),
  data: { fromMs: 0, toMs: 100, delayMs: 7 },
  labels: { frauds: 200, legitimate: 10_000, keptLegitimate: 1_000 },
  settings: { ...trainingDefaults, ...samplingDefault },
  inputs: [
    { name: 'amount', kind: 'number', monotone: 1, column: amounts },
    { name: 'kind', kind: 'category', texts: ['card', 'cash', 'wire'], column: Float64Array.of(0, 2, 2, NaN) },
  ],
  gains: [30, 10],
  folds: [],
  calibration: [],
  foldMargins: Float64Array.of(-1, 0, 1),
};

describe('a model card', () => {
  it('says how important each input is, and how its values are distributed', () => {
    const [amount, kind] = modelCard(content).inputs;
    expect(amount).toMatchObject({ name: 'amount', monotone: 1, importance: 0.75 });
    expect(amount?.population.counts).toEqual([...Array.from({ length: 10 }, () => 50), 0]);
    expect(kind).toEqual({
      name: 'kind',
      kind: 'category',
      texts: ['card', 'cash', 'wire'],
      monotone: 0,
      importance: 0.25,
      population: { edges: [0, 1], counts: [1, 0, 2, 1] },
    });
  });

  it('is plain JSON with a dozen values of the training rows at most', () => {
    const card = modelCard(content);
    const text = JSON.stringify(card);
    expect(JSON.parse(text)).toEqual(card);
    expect([...amounts].filter((amount) => text.includes(String(amount))).length).toBeLessThanOrEqual(12);
  });

  it('counts rows by weight, as all of which they are a share', () => {
    const [amount, kind] = modelCard({ ...content, weights: new Float64Array(500).fill(10) }).inputs;
    expect(amount?.population.counts).toEqual([...Array.from({ length: 10 }, () => 500), 0]);
    expect(kind?.population.counts).toEqual([10, 0, 20, 10]);
  });

  it('of a model without a split gives no input a part', () => {
    expect(modelCard({ ...content, gains: [0, 0] }).inputs.map(({ importance }) => importance)).toEqual([0, 0]);
  });
});

describe('the measures of a fold', () => {
  it('are by weight', () => {
    expect(foldMeasures(scored([0.9, 0.5, 0.1], [1, 0, 0], [1, 2, 2]))).toMatchObject({
      events: 5,
      frauds: 1,
      meanPredicted: (0.9 + 2 * 0.5 + 2 * 0.1) / 5,
      areaUnderRoc: 1,
      averagePrecision: 1,
    });
  });

  it('leave out what needs fraud if there was none', () => {
    const measures = foldMeasures(scored([0.9, 0.5], [0, 0]));
    expect([measures.areaUnderRoc, measures.averagePrecision, measures.frauds]).toEqual([undefined, undefined, 0]);
    expect(foldMeasures(scored([], []))).toEqual({ events: 0, frauds: 0, meanPredicted: 0, calibration: [] });
  });
});
