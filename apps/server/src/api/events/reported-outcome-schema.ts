import { chargebackStages, outcomeNames } from '@ringfence/contract';
import { Type } from 'typebox';
import type { StoredReport } from '../../console/event-reports/stored-reports.ts';
import { choice, instant, nonPersonalWord, personal, removed, seldom, word } from '../server/members.ts';

/** What the bank reported about an event. */
export const reportedOutcomeSchema = Type.Object(
  {
    outcome: choice(outcomeNames, 'What happened at the bank.', 'stepUpPassed'),
    method: seldom(nonPersonalWord('How a step-up was done.', 'passkey')),
    type: seldom(nonPersonalWord('The type of fraud.', 'accountTakeover')),
    code: seldom(nonPersonalWord('The code of a chargeback.', '4837')),
    stage: seldom(choice(chargebackStages, 'The stage of a chargeback.', 'opened')),
    loss: seldom(nonPersonalWord('The loss, a decimal.', '120.50')),
    recovered: seldom(nonPersonalWord('What was recovered, a decimal.', '20.00')),
    currency: seldom(nonPersonalWord('Currency of both.', 'GTQ')),
    author: nonPersonalWord('Who reported it.', 'token backoffice'),
    note: seldom(personal(word('Their note. Absent once the client is erased.', 'called back'), removed)),
    happenedAt: seldom(instant('When it happened, as the bank reported.')),
    reportedAt: instant('When it was appended to the log.'),
  },
  { title: 'ReportedOutcome' },
);

type PrintedReport = Type.Static<typeof reportedOutcomeSchema>;

export function printReport({ happenedAtMs, reportedAtMs, ...told }: StoredReport): PrintedReport {
  return {
    ...told,
    ...(happenedAtMs === undefined ? {} : { happenedAt: new Date(happenedAtMs).toISOString() }),
    reportedAt: new Date(reportedAtMs).toISOString(),
  };
}
