import { chargebackStages, outcomeNames } from '@ringfence/contract';
import { all, type FactRow } from './fact-row.ts';

/** Results of step-ups, without the wire's prefix. */
const stepUpResults = ['passed', 'failed', 'abandoned'] as const;

/** What is remembered about the outcomes of a client's events. Spans run on the time of the log. */
export const outcomeMemoryFacts: readonly FactRow[] = [
  [
    all,
    'client.stepUpsFailed',
    'int',
    'Step-ups of this client that failed or were abandoned in the 24 h before this event, since the last one that was passed.',
  ],
  [
    all,
    'client.stepUpPassedAgo',
    'duration',
    'Time since this client last passed a step-up; missing if none was passed in the last 90 days.',
  ],
  [
    all,
    'client.lastStepUp',
    'string',
    'Result of the last step-up of this client in the last 90 days; "none" without one.',
    [...stepUpResults, 'none'],
  ],
  [
    all,
    'client.lastOutcome',
    'string',
    'The last outcome that was reported about an event of this client in the last 90 days; "none" without one. A step-up\'s result that did not count is not one.',
    [...outcomeNames, 'none'],
  ],
  [all, 'client.lastOutcomeAgo', 'duration', 'Time since that outcome was reported; missing without one.'],
  [
    all,
    'session.stepUpPassed',
    'bool',
    'Whether a step-up was passed in this session since it was opened. False if no such session is known.',
  ],
];

/** Facts of a reported outcome. Only features that count outcomes read them. */
export const outcomeRows: readonly FactRow[] = [
  [[], 'outcome.kind', 'string', 'The `outcome` that was reported.', [...outcomeNames]],
  [[], 'outcome.method', 'string', 'How a step-up was done, such as `passkey`.'],
  [[], 'outcome.type', 'string', 'The type of fraud, such as `accountTakeover`.'],
  [[], 'outcome.code', 'string', 'The code of a chargeback, such as `4837`.'],
  [[], 'outcome.stage', 'string', 'The stage of a chargeback.', [...chargebackStages]],
  [[], 'outcome.loss', 'decimal', 'The loss as reported now. A later report of the same event counts again.'],
  [[], 'outcome.recovered', 'decimal', 'What was recovered.'],
  [
    [],
    'outcome.currency',
    'string',
    "Currency of the loss; without one, `order.currency` of the event. Features over losses are kept per currency, and an event reads those in its own amount's.",
  ],
];
