import { describe, expect, it } from 'vitest';
import { costCurve, operatingPoints } from '../../src/measures/curves.ts';
import { rank, worstOfEach } from '../../src/measures/ranking.ts';
import { thresholdForAlerts, thresholdForLegitimate } from '../../src/measures/threshold-choice.ts';
import { wilson } from '../../src/measures/wilson.ts';
import { prng } from '../prng.ts';
import { scored } from './scored.ts';

const six = scored([6, 5, 4, 3, 3, 1], [1, 0, 1, 0, 1, 0]);

describe('a curve', () => {
  it('has every threshold if there are few', () => {
    const points = operatingPoints(rank(six), 100);
    expect(points.map(({ threshold, alerts, frauds }) => [threshold, alerts, frauds])).toEqual([
      [6, 1, 1],
      [5, 2, 1],
      [4, 3, 2],
      [3, 5, 3],
      [1, 6, 3],
    ]);
    expect(points.map(({ recall }) => recall)).toEqual([1 / 3, 1 / 3, 2 / 3, 1, 1]);
    expect(points.map(({ legitimateShare }) => legitimateShare)).toEqual([0, 1 / 3, 1 / 3, 2 / 3, 1]);
    expect(points.map(({ precision }) => precision)).toEqual([1, 1 / 2, 2 / 3, 3 / 5, 1 / 2]);
  });

  it.each([3, 10, 101])('of 20,000 events has at most %i points, and no wide gap', (pointsMax) => {
    const random = prng(3);
    const labels = Array.from({ length: 20_000 }, () => (random() < 0.02 ? 1 : 0));
    const events = scored(
      labels.map((label) => random() + label * random()),
      labels,
    );
    const points = operatingPoints(rank(events), pointsMax);
    expect(points.length).toBeLessThanOrEqual(pointsMax);
    expect(points[0]?.threshold).toBe(Math.max(...events.scores));
    expect(points.at(-1)).toMatchObject({ recall: 1, legitimateShare: 1 });
    const ways = points.map(({ recall, legitimateShare }) => recall + legitimateShare);
    ways.forEach((way, at) => expect(way - (ways[at - 1] ?? 0)).toBeLessThan(2 / (pointsMax - 2) + 0.003));
  });

  it('of costs adds the work on alerts to the frauds that are missed', () => {
    const amounts = Float64Array.of(100, 5, 40, 5, 60, 5);
    const points = costCurve({ ...six, amounts }, { perAlert: 10, pointsMax: 100 });
    expect(points.map(({ threshold, missed, cost }) => [threshold, missed, cost])).toEqual([
      [6, 100, 110],
      [5, 100, 120],
      [4, 60, 90],
      [3, 0, 50],
      [1, 0, 60],
    ]);
  });
});

describe('a threshold', () => {
  it('for a number of alerts a day is the lowest with no more, and equal scores stay together', () => {
    const chosen = (alertsADay: number): number | undefined =>
      thresholdForAlerts(rank(six), { alertsADay, days: 2 })?.threshold;
    expect([0.4, 0.5, 1, 1.5, 2, 2.5, 3, 40].map(chosen)).toEqual([undefined, 6, 5, 4, 4, 3, 1, 1]);
  });

  it('says what to expect', () => {
    expect(thresholdForAlerts(rank(six), { alertsADay: 2, days: 2 })).toEqual({
      threshold: 4,
      alerts: 3,
      frauds: 2,
      precision: 2 / 3,
      recall: 2 / 3,
      legitimateShare: 1 / 3,
      alertsADay: 1.5,
      precisionInterval: wilson(2 / 3, 3),
      recallInterval: wilson(2 / 3, 3),
    });
  });

  it('for a share of good events is the lowest that no larger share reaches', () => {
    const chosen = (share: number): number | undefined =>
      thresholdForLegitimate(rank(six), { share, days: 1 })?.threshold;
    expect([0, 0.3, 0.34, 0.6, 0.7, 1].map(chosen)).toEqual([6, 6, 4, 4, 3, 1]);
    expect(thresholdForLegitimate(rank(scored([2, 1], [0, 1])), { share: 0.1, days: 1 })).toBeUndefined();
  });

  it('for a share of good clients takes the worst of each client', () => {
    const clients = [1, 1, 2, 3, 4, 5];
    const ranking = rank(worstOfEach(six, clients)); // 6 fraud, 4 fraud, 3 good, 3 fraud, 1 good
    expect(thresholdForLegitimate(ranking, { share: 0.5, days: 1 })).toMatchObject({ threshold: 3, alerts: 4 });
    expect(thresholdForLegitimate(ranking, { share: 0.4, days: 1 })).toMatchObject({ threshold: 4, alerts: 2 });
  });

  it('of a sample is as sure as the rows that were seen', () => {
    const ranking = rank(scored([3, 2, 1], [1, 0, 0], [1, 100, 100]));
    expect(thresholdForAlerts(ranking, { alertsADay: 150, days: 1 })).toMatchObject({
      alertsADay: 101,
      precision: 1 / 101,
      precisionInterval: wilson(1 / 101, 2),
      recallInterval: wilson(1, 1),
    });
  });
});
