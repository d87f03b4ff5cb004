import { assert } from '@ringfence/contract';
import type { Calibration } from '../artifact.ts';
import { calibratedProbability } from '../calibrated.ts';
import { rank, type Ranking, type ScoredEvents, worstOfEach } from '../measures/ranking.ts';
import { choiceFrom, thresholdForAlerts } from '../measures/threshold-choice.ts';
import { scaleBetween } from './common-scale.ts';
import { fitCalibration } from './fit-calibration.ts';

/** Events of some days after a training, with what the model of that training says of them. */
export interface ValidationWeek {
  readonly days: number;
  readonly margins: Float64Array;
  readonly labels: Uint8Array;
  /** Events of one client on one day are of one group, which is one alert at most. */
  readonly groups: Float64Array;
  /** The log-odds that its model gives the common rows, on which all models were trained. */
  readonly common: Float64Array;
}

/** What the weeks say of the final model, in its log-odds. The oldest week comes first. */
export interface Validation {
  /** Of all weeks; undefined with fewer than two weeks, or too few events. */
  readonly calibration: Calibration | undefined;
  readonly weeks: readonly CheckedWeek[];
  /** All events of all weeks, by the log-odds that the final model would give them. */
  readonly scored: Omit<ScoredEvents, 'weights'>;
  /** All thresholds among them. */
  readonly events: Ranking;
  /** Each client once a day, by its most suspicious event. */
  readonly alerts: Ranking;
  readonly days: number;
}

export interface CheckedWeek {
  /** By the calibration of the other weeks. */
  readonly probabilities: Float64Array;
  /** None for the oldest week, and for budgets that no threshold keeps. */
  readonly budgets: readonly BudgetCheck[];
}

/** A threshold for a number of alerts a day, chosen by the weeks before, and how many alerts it then gave. */
export interface BudgetCheck {
  readonly alertsADay: number;
  readonly predicted: number;
  readonly found: number;
}

/** Alerts a day that one person, a small team and a large team can work. */
export const alertBudgets: readonly number[] = [20, 40, 100];

/**
 * Checks a final model by weeks that other models of the same settings did not see. Their log-odds are brought to its
 * scale first, because it was trained on more history and is surer.
 *
 * @param final the log-odds that the final model gives the common rows, and for how many events each row is
 */
export function validate(
  weeks: readonly ValidationWeek[],
  final: { readonly common: Float64Array; readonly weights: Float64Array },
): Validation {
  assert(weeks.length > 0, 'there is a week');
  const scaled = weeks.map((week): ScaledWeek => {
    const scale = scaleBetween(week.common, final.common, final.weights);
    return { ...week, scores: week.margins.map(scale) };
  });
  const all = together(scaled);
  return {
    calibration: scaled.length < 2 ? undefined : fitCalibration(all),
    weeks: scaled.map((week, at) => {
      const calibration = fitCalibration(together(scaled.filter((other) => other !== week)));
      const model = calibration === undefined ? {} : { calibration };
      return {
        probabilities: week.scores.map((margin) => calibratedProbability(model, margin)),
        budgets: at === 0 ? [] : budgetsOf(scaled.slice(0, at), week),
      };
    }),
    scored: all,
    events: rank(all),
    alerts: alertsOf(scaled),
    days: daysOf(scaled),
  };
}

interface ScaledWeek extends ValidationWeek {
  /** The log-odds on the final model's scale. */
  readonly scores: Float64Array;
}

function together(weeks: readonly ScaledWeek[]): Omit<ScoredEvents, 'weights'> {
  return {
    scores: joined(weeks.map(({ scores }) => scores)),
    labels: Uint8Array.from(joined(weeks.map(({ labels }) => labels))),
  };
}

/** Groups have a number for each client and day, so they differ between weeks. */
function alertsOf(weeks: readonly ScaledWeek[]): Ranking {
  return rank(worstOfEach(together(weeks), joined(weeks.map(({ groups }) => groups))));
}

function daysOf(weeks: readonly ScaledWeek[]): number {
  return weeks.reduce((sum, { days }) => sum + days, 0);
}

function budgetsOf(before: readonly ScaledWeek[], week: ScaledWeek): readonly BudgetCheck[] {
  const [known, now] = [alertsOf(before), alertsOf([week])];
  return alertBudgets.flatMap((alertsADay) => {
    const choice = thresholdForAlerts(known, { alertsADay, days: daysOf(before) });
    if (choice === undefined) return [];
    const found = choiceFrom(now, choice.threshold, week.days)?.alertsADay ?? 0;
    return [{ alertsADay, predicted: choice.alertsADay, found }];
  });
}

function joined(parts: readonly ArrayLike<number>[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
