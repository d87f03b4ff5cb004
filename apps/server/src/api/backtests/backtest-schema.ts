import { eventKinds } from '@ringfence/contract';
import type { ExplainedCondition } from '@ringfence/policy';
import { Type } from 'typebox';
import type { Backtest, BacktestWithResult } from '../../backtest/backtests/backtest-rows.ts';
import type { ExampleDetail } from '../../backtest/backtests/example-detail.ts';
import type { BacktestResult, ChangedOutcome, Counted, Money, PolicyOutcome } from '../../backtest/backtests/result.ts';
import { exactly, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { showMember } from '../server/show-member.ts';
import { timeRange } from '../server/time-range.ts';
import { labels } from '../labels/label-schema.ts';
import { choice, count, documenting, inWorkspace, instant, list, mapping, seldom, word } from '../server/members.ts';
import { authorMember, exampleFiles, policyFiles } from '../policies/policy-schema.ts';

const int32Max = 2_147_483_647;

export const inBacktest = exactly({
  ...inWorkspace.properties,
  backtest: wholeNumber({ minimum: 1, maximum: int32Max, description: 'Its number.' }),
});

export const newBacktestBody = exactly(
  {
    files: Type.Optional(policyFiles),
    version: Type.Optional(
      wholeNumber({ minimum: 1, maximum: int32Max, description: 'A version that is kept, instead of files.' }),
    ),
    history: Type.Optional(
      text({ maxLength: 64, description: 'Name of an imported history. Left out: the live log.', expected: 'a name' }),
    ),
    ...timeRange('Events count that came'),
    against: oneOf(['live', 'nothing'], {
      default: 'live',
      description: 'With what the policy is compared: the version that decides live, over the same events, or nothing.',
    }),
    author: authorMember('Who wants to know.'),
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
  author: word('Who wants to know.', 'mara'),
  startedAt: instant('When it began.'),
  endedAt: Type.Optional(instant('When it ended.', '2026-11-21T16:15:58.100Z')),
  policyVersion: Type.Optional(count('The version that was tried; absent for files that are no version.', 4)),
  against: Type.Optional(count('The version that it is compared with.', 3)),
  history: Type.Optional(word('Name of the history; absent for the live log.', '2026')),
  from: seldom(instant('Events count that came at or after this.', '2026-01-01T00:00:00.000Z')),
  to: seldom(instant('Events count that came before this.', '2026-07-01T00:00:00.000Z')),
  done: count('Records gone through.', 1_754_155),
  total: count('Of so many; 0 until that is known.', 1_754_155),
  error: seldom(word('Why it failed.', 'The service was stopped.')),
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
      currency: word('Code of the currency; empty for amounts without one.', 'MXN'),
      fraud: word(
        'Sum of the amounts of events labelled fraud, in plain digits, with the decimals of its amounts.',
        '91250.50',
      ),
      legitimate: word('Of those labelled legitimate.', '120300.00'),
      unlabelled: word('Of all others.', '0.00'),
    },
    { title: 'MoneySums' },
  ),
);
export const moneyList = list(moneySchema, 'By currency. Exact.');

const ruleSchema = Type.Object(
  {
    reason: count('The rule.', 301),
    name: word('Its name.', 'Burst of payments'),
    mode: choice(['live', 'shadow', 'off'], 'As the policy has it.'),
    matches: countedSchema,
    suppressed: count('Matches within the rule’s cooldown, or suppressed: it did not act.', 12),
    missing: count('Events on which a fact was missing that the condition needs.', 0),
    actions: count('Actions that it asked for.', 298),
    held: count('Of these, beyond its cap: they would have waited for a person.', 0),
    clients: count('Clients matched at least once.', 250),
    legitimateClients: count('Of these, on an event that is labelled legitimate.', 180),
    precision: Type.Optional(ratio('Share of fraud among the labelled matches; absent when none is labelled.', 0.256)),
    money: moneyList,
  },
  { title: 'RuleOutcome' },
);

const outcomeSchema = documenting<PolicyOutcome>(
  Type.Object(
    {
      rules: list(ruleSchema, 'Every rule, by its number.'),
      actions: list(
        Type.Object(
          {
            action: count('Its number.', 2),
            name: seldom(word('Name of a custom action.', 'Step-up authentication')),
            count: count('How often it was asked for.', 298),
            held: count('Of these, beyond a rule’s cap.', 0),
          },
          { title: 'ActionOutcome' },
        ),
        'By their numbers.',
      ),
      flagged: countedSchema,
      clients: count('Clients flagged at least once.', 1_020),
      legitimateClients: count('Of these, on an event that is labelled legitimate.', 790),
      precision: Type.Optional(ratio('Share of fraud among the labelled events that were flagged.', 0.256)),
      recall: Type.Optional(ratio('Share of the events labelled fraud that were flagged.', 0.62)),
      money: moneyList,
      missed: Type.Object(
        { events: count('Labelled fraud and not flagged.', 190), money: moneyList },
        { title: 'MissedFraud' },
      ),
    },
    { title: 'PolicyOutcome' },
  ),
);

const changedSchema = documenting<ChangedOutcome>(
  Type.Object({ ...countedMembers, money: moneyList }, { title: 'ChangedEvents' }),
);

const resultSchema = documenting<BacktestResult>(
  Type.Object(
    {
      events: Type.Object(
        {
          decided: count('Events in the time that was asked for, without retries.', 1_754_155),
          fraud: count('Labelled fraud.', 14_681),
          legitimate: count('Labelled legitimate.', 1_739_474),
          repeats: count('Retries, which are not applied.', 0),
          unreadable: count('Of erased clients, in the whole source.', 0),
          waiting: count('Operations that still waited for their login at the end.', 0),
        },
        { title: 'BacktestEvents' },
      ),
      candidate: outcomeSchema,
      live: Type.Optional(outcomeSchema),
      changes: Type.Optional(
        Type.Object(
          { newlyFlagged: changedSchema, noLongerFlagged: changedSchema },
          { title: 'BacktestChanges', description: 'What the candidate flags and the live policy does not, and back.' },
        ),
      ),
      digest: word('SHA-256 over all decisions of the candidate. The same input gives the same.', '9f86d081884c7d65…'),
      notes: list(word('What one should know of it.', 'The history has no logins.')),
    },
    {
      title: 'BacktestResult',
      description: 'An event is flagged when a rule in mode live matched it, also within its cooldown.',
    },
  ),
);

export const backtestWithResultSchema = Type.Object(
  { ...backtestMembers, result: Type.Optional(resultSchema) },
  { title: 'BacktestWithResult' },
);

export const examplesQuery = exactly({
  list: Type.Optional(
    oneOf(['rule', 'newlyFlagged', 'noLongerFlagged'], { description: 'Only examples that stand for this.' }),
  ),
  reason: Type.Optional(wholeNumber({ minimum: 0, maximum: int32Max, description: 'Only examples of this rule.' })),
  ...showMember,
});

export const conditionSchema = documenting<ExplainedCondition>(
  Type.Object(
    {
      text: word('A part of the rule’s condition.', 'clientPaid5m >= 6'),
      holds: Type.Optional(
        Type.Unsafe<boolean>({
          type: 'boolean',
          description: 'Whether it held; absent when a fact was missing.',
          examples: [true],
        }),
      ),
      values: mapping<string>({ type: 'string' }, 'What it read, printed.', { clientPaid5m: '7' }),
    },
    { title: 'ExplainedCondition' },
  ),
);

export const exampleSchema = documenting<ExampleDetail>(
  Type.Object(
    {
      list: choice(['rule', 'newlyFlagged', 'noLongerFlagged'], 'What it stands for.'),
      reason: Type.Optional(count('The rule that it is an example of.', 301)),
      event: word('Its id in the live log; its number in a history.', '48112'),
      kind: choice(eventKinds, 'What happened.', 'operation'),
      at: instant('When it came.'),
      client: Type.Optional(word('Whose it is.', 'alice')),
      label: Type.Optional(choice(labels, 'What it turned out to be.')),
      amount: Type.Optional(word('Of an operation.', '1500.50')),
      currency: Type.Optional(word('Of the amount.', 'MXN')),
      rules: list(
        Type.Object(
          {
            reason: count('The rule.', 301),
            name: word('Its name.', 'Burst of payments'),
            mode: choice(['live', 'shadow'], 'As the policy has it.'),
            suppressed: seldom(choice(['cooldown', 'suppression'], 'It matched and did not act.')),
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
  const { done, total, error } = backtest;
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
    done,
    total,
    ...(error === undefined ? {} : { error }),
  };
}

export function printBacktestWithResult(backtest: BacktestWithResult): Type.Static<typeof backtestWithResultSchema> {
  const { result } = backtest;
  return { ...printBacktestRow(backtest), ...(result === undefined ? {} : { result }) };
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
