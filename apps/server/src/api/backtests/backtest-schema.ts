import { eventKinds } from '@ringfence/contract';
import type { ExplainedCondition } from '@ringfence/policy';
import { Type } from 'typebox';
import { maskFacts, maskText } from '../../access/audit/personal.ts';
import { asLiveChoices } from '../../backtest/backtests/as-live.ts';
import type { Backtest, BacktestWithResult } from '../../backtest/backtests/backtest-rows.ts';
import type { ExampleDetail } from '../../backtest/backtests/example-detail.ts';
import {
  type ChangedOutcome,
  type Counted,
  type Money,
  type PolicyOutcome,
  type ShownResult,
  shownResult,
} from '../../backtest/backtests/result.ts';
import type { VariedParam } from '../../policies/vary-param.ts';
import { exactly, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { showMember } from '../server/show-member.ts';
import { timeRange } from '../server/time-range.ts';
import { labels } from '../labels/label-schema.ts';
import {
  choice,
  count,
  documenting,
  instant,
  inWorkspace,
  list,
  mapping,
  nonPersonalWord,
  personal,
  seldom,
  word,
} from '../server/members.ts';
import { authorMember, exampleFiles, policyFiles } from '../policies/policy-schema.ts';
import { varyMember, variedSchemaOf } from './vary-schema.ts';

const int32Max = 2_147_483_647;

export const inBacktest = exactly({
  ...inWorkspace.properties,
  backtest: wholeNumber({ minimum: 1, maximum: int32Max, description: 'Its number.' }),
});

export const newBacktestBody = exactly(
  {
    files: Type.Optional(policyFiles),
    version: Type.Optional(
      wholeNumber({ minimum: 1, maximum: int32Max, description: 'A stored version, instead of files.' }),
    ),
    history: Type.Optional(
      text({ maxLength: 64, description: 'Name of an imported history. By default the live log.', expected: 'a name' }),
    ),
    ...timeRange('Only events received'),
    against: oneOf(['live', 'nothing'], {
      default: 'live',
      description: 'What the policy is compared with: the live version on the same events, or nothing.',
    }),
    asLive: oneOf(asLiveChoices, {
      default: 'none',
      description:
        'Which rules in shadow run as if they were live, so that their alerts, actions and money are counted: `new` for those that the version compared with does not have in this form (all, without one), or `all`.',
    }),
    vary: Type.Optional(varyMember),
    author: authorMember('Who wants the result.'),
  },
  {
    refine: ({ files, version }) =>
      (files === undefined) === (version === undefined) ? 'either files or version' : undefined,
  },
);

export const newBacktestExample = { files: exampleFiles, history: '2026', against: 'live', author: 'mara' };

const backtestMembers = {
  id: count('Its number.', 12),
  state: choice(['running', 'done', 'failed', 'cancelled'], 'Whether it has ended, and how.', 'done'),
  author: nonPersonalWord('Who wants the result.', 'mara'),
  startedAt: instant('When it began.'),
  endedAt: Type.Optional(instant('When it ended.', '2026-11-21T16:15:58.100Z')),
  policyVersion: Type.Optional(count('The version that was tried; absent for files that are not a stored version.', 4)),
  against: Type.Optional(count('The version that it was compared with.', 3)),
  history: Type.Optional(nonPersonalWord('Name of the history; absent for the live log.', '2026')),
  from: seldom(instant('Only events received at or after this.', '2026-01-01T00:00:00.000Z')),
  to: seldom(instant('Only events received before this.', '2026-07-01T00:00:00.000Z')),
  asLive: seldom(choice(['new', 'all'], 'Which rules in shadow run as if live; absent: none.', 'new')),
  vary: seldom(
    documenting<VariedParam>(
      Type.Object(
        {
          param: nonPersonalWord('The parameter whose values are compared.', 'largePayment'),
          values: list(nonPersonalWord('A value.', '2000'), 'Ascending.'),
        },
        { title: 'VariedParam' },
      ),
    ),
  ),
  done: count('Records processed; those of all passes, if values are compared.', 1_754_155),
  total: count('Records in total; 0 until known.', 1_754_155),
  error: seldom(nonPersonalWord('Why it failed.', 'The service was stopped.')),
};

export const backtestSchema = Type.Object(backtestMembers, { title: 'Backtest' });

function ratio(description: string, example: number): Type.TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'number', minimum: 0, maximum: 1, description, examples: [example] });
}

const countedMembers = {
  events: count('All of them.', 1_240),
  fraud: count('Labelled fraud.', 310),
  legitimate: count('Labelled legitimate.', 900),
  unlabelled: count('Not labelled.', 30),
};
export const countedSchema = documenting<Counted>(Type.Object(countedMembers, { title: 'CountedEvents' }));

const moneySchema = documenting<Money>(
  Type.Object(
    {
      currency: nonPersonalWord('Currency code; empty for amounts without one.', 'MXN'),
      fraud: nonPersonalWord(
        'Sum of the amounts of events labelled fraud, as a plain decimal with as many decimals as the amounts have.',
        '91250.50',
      ),
      legitimate: nonPersonalWord('The same for events labelled legitimate.', '120300.00'),
      unlabelled: nonPersonalWord('The same for all other events.', '0.00'),
    },
    { title: 'MoneySums' },
  ),
);
export const moneyList = list(moneySchema, 'By currency. Exact.');

const ruleMembers = {
  reason: count('The rule.', 301),
  name: nonPersonalWord('Its name.', 'Burst of payments'),
  mode: choice(['live', 'shadow', 'off'], 'As set in the policy.'),
};

const ruleSchema = Type.Object(
  {
    ...ruleMembers,
    matches: countedSchema,
    suppressed: count(
      'Matches within the rule’s cooldown, suppressed, or in a control group: the rule did not act.',
      12,
    ),
    missing: count('Events that lacked a fact that the condition needs.', 0),
    actions: count('Actions that it triggered.', 298),
    capped: count('Those beyond its cap: they would have waited for a person.', 0),
    clients: count('Clients matched at least once.', 250),
    legitimateClients: count('Those matched on an event labelled legitimate.', 180),
    precision: Type.Optional(ratio('Share of fraud among the labelled matches; absent if none is labelled.', 0.256)),
    money: moneyList,
  },
  { title: 'RuleOutcome' },
);

const totalMembers = {
  flagged: countedSchema,
  clients: count('Clients flagged at least once.', 1_020),
  legitimateClients: count('Those flagged on an event labelled legitimate.', 790),
  precision: Type.Optional(ratio('Share of fraud among the labelled events that were flagged.', 0.256)),
  recall: Type.Optional(ratio('Share of the events labelled fraud that were flagged.', 0.62)),
  money: moneyList,
  missed: Type.Object(
    { events: count('Labelled fraud and not flagged.', 190), money: moneyList },
    { title: 'MissedFraud' },
  ),
};

const outcomeSchema = documenting<PolicyOutcome>(
  Type.Object(
    {
      rules: list(ruleSchema, 'Every rule, by number.'),
      actions: list(
        Type.Object(
          {
            action: count('Its number.', 2),
            name: seldom(nonPersonalWord('Name of a custom action.', 'Step-up authentication')),
            count: count('How often it was triggered.', 298),
            capped: count('Those beyond a rule’s cap.', 0),
          },
          { title: 'ActionOutcome' },
        ),
        'By number.',
      ),
      ...totalMembers,
    },
    { title: 'PolicyOutcome' },
  ),
);

const changedSchema = documenting<ChangedOutcome>(
  Type.Object({ ...countedMembers, money: moneyList }, { title: 'ChangedEvents' }),
);

const variedSchema = variedSchemaOf({ total: totalMembers, counted: changedSchema, money: moneyList });

const resultSchema = documenting<ShownResult>(
  Type.Object(
    {
      events: Type.Object(
        {
          decided: count('Events in the requested time range, without retries.', 1_754_155),
          fraud: count('Labelled fraud.', 14_681),
          legitimate: count('Labelled legitimate.', 1_739_474),
          repeats: count('Retries, which are not applied.', 0),
          unreadable: count('Events of erased clients, in the whole source.', 0),
          waiting: count('Operations that still waited for their login at the end.', 0),
        },
        { title: 'BacktestEvents' },
      ),
      candidate: outcomeSchema,
      live: Type.Optional(outcomeSchema),
      changes: Type.Optional(
        Type.Object(
          { newlyFlagged: changedSchema, noLongerFlagged: changedSchema },
          {
            title: 'BacktestChanges',
            description: 'What the candidate flags and the live policy does not, and vice versa.',
          },
        ),
      ),
      unmatched: list(
        Type.Object(ruleMembers, { title: 'RuleWithoutMatch' }),
        'The rules of the candidate that matched no event, by number.',
      ),
      asLive: seldom(
        list(Type.Unsafe<number>({ type: 'integer' }), 'The rules in shadow that ran as if live, by number.', [301]),
      ),
      varied: seldom(variedSchema),
      digest: nonPersonalWord(
        'SHA-256 over all decisions of the candidate. The same input always has the same digest.',
        '9f86d081884c7d65…',
      ),
      notes: list(nonPersonalWord('A remark about the result.', 'The history has no logins.')),
    },
    {
      title: 'BacktestResult',
      description: 'An event is flagged if a rule in mode live matched it, even within its cooldown.',
    },
  ),
);

export const backtestWithResultSchema = Type.Object(
  { ...backtestMembers, result: Type.Optional(resultSchema) },
  { title: 'BacktestWithResult' },
);

export const examplesQuery = exactly({
  list: Type.Optional(
    oneOf(['rule', 'newlyFlagged', 'noLongerFlagged'], { description: 'Only examples of this category.' }),
  ),
  reason: Type.Optional(wholeNumber({ minimum: 0, maximum: int32Max, description: 'Only examples of this rule.' })),
  ...showMember,
});

export const conditionSchema = documenting<ExplainedCondition>(
  Type.Object(
    {
      text: nonPersonalWord('A part of the rule’s condition.', 'clientPaid5m >= 6'),
      holds: Type.Optional(
        Type.Unsafe<boolean>({
          type: 'boolean',
          description: 'Whether it was true; absent if a fact was missing.',
          examples: [true],
        }),
      ),
      values: personal(
        mapping<string>({ type: 'string' }, 'The values that it read, as text.', { clientPaid5m: '7' }),
        maskFacts,
      ),
    },
    { title: 'ExplainedCondition' },
  ),
);

export const exampleSchema = documenting<ExampleDetail>(
  Type.Object(
    {
      list: choice(['rule', 'newlyFlagged', 'noLongerFlagged'], 'The category of the example.'),
      reason: Type.Optional(count('The rule that it is an example of.', 301)),
      event: nonPersonalWord('Its id in the live log, or its number in a history.', '48112'),
      kind: choice(eventKinds, 'What happened.', 'operation'),
      at: instant('When it came.'),
      client: Type.Optional(personal(word('The client of the event.', 'alice'), maskText)),
      label: Type.Optional(choice(labels, 'What it turned out to be.')),
      amount: Type.Optional(nonPersonalWord('Amount of an operation.', '1500.50')),
      currency: Type.Optional(nonPersonalWord('Currency of the amount.', 'MXN')),
      rules: list(
        Type.Object(
          {
            reason: count('The rule.', 301),
            name: nonPersonalWord('Its name.', 'Burst of payments'),
            mode: choice(['live', 'shadow'], 'In which mode it ran.'),
            suppressed: seldom(choice(['cooldown', 'suppression', 'hold', 'control'], 'It matched but did not act.')),
            conditions: list(conditionSchema, 'The parts of its condition, in their order.'),
          },
          { title: 'ExplainedRule' },
        ),
        'Every rule that matched, and why.',
      ),
    },
    { title: 'BacktestExample' },
  ),
);

export function printBacktestRow(backtest: Backtest): Type.Static<typeof backtestSchema> {
  const { id, state, author, startedAtMs, endedAtMs, policyVersion, against, history, fromMs, toMs } = backtest;
  const { asLive, vary, done, total, error } = backtest;
  return {
    id,
    state,
    author,
    startedAt: isoOf(startedAtMs),
    ...(endedAtMs === undefined ? {} : { endedAt: isoOf(endedAtMs) }),
    ...(policyVersion === undefined ? {} : { policyVersion }),
    ...(against === undefined ? {} : { against }),
    ...(history === undefined ? {} : { history }),
    ...(fromMs === undefined ? {} : { from: isoOf(fromMs) }),
    ...(toMs === undefined ? {} : { to: isoOf(toMs) }),
    ...(asLive === 'none' ? {} : { asLive }),
    ...(vary === undefined ? {} : { vary }),
    done,
    total,
    ...(error === undefined ? {} : { error }),
  };
}

export function printBacktestWithResult(backtest: BacktestWithResult): Type.Static<typeof backtestWithResultSchema> {
  const { result } = backtest;
  const row = printBacktestRow(backtest);
  return result === undefined ? row : { ...row, result: shownResult(result) };
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
