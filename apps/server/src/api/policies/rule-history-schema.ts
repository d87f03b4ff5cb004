import { Type } from 'typebox';
import { labelsMax } from '../../console/rule-health.ts';
import { type RuleHistory, versionsMax } from '../../console/rule-history.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import { count, instant, list } from '../server/members.ts';
import { timeRange } from '../server/time-range.ts';

/** A quarter, as far as a chart of days is read. */
export const historyDaysMax = 92;

export const historyQuery = exactly(timeRange('Days'));

const ruleDaySchema = Type.Object(
  {
    at: instant('When the day begins in the workspace’s time zone.'),
    fired: count('Events on which it fired live, also without acting.', 42),
    shadow: count('Events on which it fired in shadow.', 0),
    fraud: count(`Events of this day on which it fired that are labelled fraud, of the newest ${labelsMax} labels.`, 3),
    legitimate: count('Those that are labelled legitimate.', 1),
  },
  { title: 'RuleDay' },
);

const ruleVersionSchema = Type.Object(
  {
    version: count('The version.', 4),
    fired: count('How often it fired and acted, as of the last checkpoint of the engine.', 42),
    shadow: count('How often it fired in shadow.', 0),
    suppressed: count('How often it fired without acting.', 3),
    missing: count('How often its condition lacked a fact.', 0),
    fraud: count('Events on which it fired that are labelled fraud.', 12),
    legitimate: count('Those that are labelled legitimate.', 2),
  },
  { title: 'RuleVersion' },
);

export const ruleHistorySchema = Type.Object(
  {
    from: instant('Where the days begin.'),
    to: instant('Where they end.'),
    items: list(
      Type.Object(
        {
          reason: count('The rule.', 301),
          days: list(ruleDaySchema, 'Those with any activity, oldest first.'),
          versions: list(ruleVersionSchema, `The newest ${versionsMax} of the workspace, newest first.`),
        },
        { title: 'RuleHistory' },
      ),
      'Rules with any activity, by number.',
    ),
  },
  { title: 'RuleHistories' },
);

export const activationSchema = Type.Object(
  {
    version: count('The version that began to decide.', 4),
    at: instant('When its record was written to the log.'),
    before: Type.Optional(count('The version that decided before it; absent if it is not known.', 3)),
    rules: list(count('`reason` of a rule.', 301), 'Rules that it added, removed or changed.', [301]),
  },
  { title: 'PolicyActivation' },
);

export function printRuleHistory({ reason, days, versions }: RuleHistory) {
  return {
    reason,
    days: days.map(({ atMs, ...day }) => ({ at: new Date(atMs).toISOString(), ...day })),
    versions: [...versions],
  };
}
