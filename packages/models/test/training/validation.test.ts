import { describe, expect, it } from 'vitest';
import { probabilityOf } from '../../src/logistic.ts';
import { scaleBetween } from '../../src/training/common-scale.ts';
import { validate, type ValidationWeek } from '../../src/training/validation.ts';
import { prng } from '../prng.ts';

const evenly = (count: number, of: (part: number) => number): Float64Array =>
  Float64Array.from({ length: count }, (_, row) => of(row / count));
const ones = (count: number): Float64Array => new Float64Array(count).fill(1);

describe('a common scale', () => {
  it('maps what as many events reach to each other, and rises everywhere', () => {
    const from = evenly(5_000, (part) => 8 * part - 6);
    const scale = scaleBetween(
      from,
      from.map((margin) => 1.5 * margin + 1),
      ones(5_000),
    );
    for (const margin of [-5.5, -3, 0, 1.2, 1.9]) expect(scale(margin)).toBeCloseTo(1.5 * margin + 1, 0);
    expect(scale(-8)).toBeCloseTo(-10, 1);
    const mapped = evenly(2_000, (part) => scale(12 * part - 8));
    expect(mapped.every((value, at) => at === 0 || value > mapped[at - 1]!)).toBe(true);
  });

  it('is the identity between equal models, and rises where the other model has equal log-odds', () => {
    const from = evenly(3_000, (part) => 8 * part - 6);
    for (const margin of [-6.5, -1, 0.33, 2.5])
      expect(scaleBetween(from, from, ones(3_000))(margin)).toBeCloseTo(margin, 12);
    const flat = scaleBetween(
      from,
      from.map((margin) => Math.floor(margin)),
      ones(3_000),
    );
    expect([flat(-2.4), flat(-2.3), flat(-2.2)]).toEqual(
      [flat(-2.4), flat(-2.3), flat(-2.2)].toSorted((a, b) => a - b),
    );
    expect(flat(-2.3)).toBeGreaterThan(flat(-2.4));
  });

  it('counts rows by weight', () => {
    const from = Float64Array.of(...evenly(100, (part) => 5 + part), ...evenly(900, (part) => part - 5));
    const weights = from.map((margin) => (margin > 2 ? 1 : 20));
    const scale = scaleBetween(
      from,
      from.map((margin) => 2 * margin),
      weights,
    );
    expect(scale(5.5)).toBeCloseTo(11, 0);
    expect(scale(-4.5)).toBeCloseTo(-9, 0);
  });
});

/** Four weeks of events. The models become surer: each has larger log-odds than the one before for the same events. */
function weeks(groupsOf: (row: number) => number): readonly ValidationWeek[] {
  const random = prng(11);
  return [0.7, 0.8, 0.9, 0.95].map((sureness) => {
    const truth = evenly(7_000, () => -6 + 9 * random() * random());
    return {
      days: 7,
      margins: truth.map((margin) => margin * sureness),
      labels: Uint8Array.from(truth, (margin) => (random() < probabilityOf(margin) ? 1 : 0)),
      groups: Float64Array.from(truth, (_, row) => groupsOf(row)),
      common: evenly(4_000, (part) => (9 * part - 6) * sureness),
    };
  });
}
const final = { common: evenly(4_000, (part) => 9 * part - 6), weights: ones(4_000) };

describe('a validation', () => {
  it('brings each week to the scale of the final model', () => {
    const [first] = weeks((row) => row);
    const { scored, calibration } = validate(
      weeks((row) => row),
      final,
    );
    expect(scored.scores[5]).toBeCloseTo(first!.margins[5]! / 0.7, 1);
    expect(calibration?.lowSlope).toBeCloseTo(1, 1);
    expect(Math.abs(calibration!.shift)).toBeLessThan(0.3);
  });

  it('gives each week probabilities by the calibration of the others', () => {
    const flipped = weeks((row) => row).map((week, at) =>
      at === 3 ? { ...week, labels: new Uint8Array(7_000) } : week,
    );
    const [withLabels, without] = [weeks((row) => row), flipped].map((all) => validate(all, final).weeks);
    expect(without![3]!.probabilities).toEqual(withLabels![3]!.probabilities);
    expect(without![0]!.probabilities).not.toEqual(withLabels![0]!.probabilities);
  });

  it('keeps a number of alerts a day in the week after, though the models become surer', () => {
    const budgets = validate(
      weeks((row) => row),
      final,
    ).weeks.map((week) => week.budgets);
    expect(budgets[0]).toEqual([]);
    for (const { alertsADay, predicted, found } of budgets.flat()) {
      expect(predicted).toBeLessThanOrEqual(alertsADay);
      expect(predicted).toBeGreaterThan(0.95 * alertsADay);
      expect(Math.abs(found / alertsADay - 1)).toBeLessThan(0.2);
    }
    const bare = weeks((row) => row).map((week) => ({ ...week, common: final.common }));
    const [last] = validate(bare, final).weeks[3]!.budgets;
    expect(last!.found / last!.alertsADay).toBeGreaterThan(1.2);
  });

  it('counts the events of a client on a day as one alert', () => {
    const { alerts, events } = validate(
      weeks((row) => Math.floor(row / 2)),
      final,
    );
    expect([events.rows.at(-1), alerts.rows.at(-1)]).toEqual([28_000, 3_500]);
  });

  it('has no calibration by one week', () => {
    const { calibration, weeks: checked } = validate(weeks((row) => row).slice(3), final);
    expect(calibration).toBeUndefined();
    expect(checked[0]!.probabilities[5]).toBeGreaterThan(0);
  });
});
