import { Type } from 'typebox';
import { exactly } from '../../platform/shapes/shape.ts';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import type { Change } from '../../backtest/replay/compare-decision.ts';
import { checkedLater } from '../server/check-request.ts';
import { showMember } from '../server/show-member.ts';
import { conditionSchema } from '../backtests/backtest-schema.ts';
import { firedRuleSchema } from '../events/event-schema.ts';
import { choice, count, documenting, flag, list, seldom, word } from '../server/members.ts';
import { progressSchema, streamProblemSchema } from '../live/stream-schema.ts';

export const whatIfBody = exactly({
  edits: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'A merge patch of the body as it was received (RFC 7396): send what is to be otherwise.',
    expected: 'an object',
    [checkedLater]: true,
  }),
  ...showMember,
});

const unmatchedSchema = documenting<UnfiredRule>(
  Type.Object(
    {
      reason: count('Number of the rule.', 302),
      name: word('Its name.', 'Payments to many payees within minutes'),
      mode: choice(['live', 'shadow'], 'As the policy says.'),
      text: word('Its condition.', 'clientPayeesPaid10m >= 4'),
      conditions: list(conditionSchema, 'The parts of its condition, in their order.'),
      isPassedOver: flag('A rule of its group fired before it, and the first one is enough there.', false),
    },
    { title: 'UnmatchedRule' },
  ),
);

/** A decision about an event that is asked about. */
const decisionMembers = {
  outcome: choice(['decided', 'repeat', 'unreadable'], 'Whether it would be decided.'),
  policyVersion: count('The policy that decides.', 3),
  score: count('The scores of the live rules that fired, added up.', 80),
  matched: Type.Optional(flag('Whether an operation finds its session.')),
  mismatch: seldom(choice(['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'], 'Why it finds none.')),
  rules: list(firedRuleSchema, 'Rules that fire, with the facts that they see.'),
  unmatched: list(unmatchedSchema, 'Rules for this kind of event that do not fire, part by part.'),
  missing: list(count('`reason` of a rule.'), 'Rules that meet a missing fact.', []),
  actions: list(
    Type.Object(
      {
        reason: count('Number of the rule.', 301),
        action: count('What the bank is asked to do.', 2),
        state: choice(['due', 'held', 'observed', 'notAddressable'], 'What becomes of it.'),
        message: word('Masked unless shown.', 'Yo•••d.'),
      },
      { title: 'SupposedAction' },
    ),
    'What the bank is asked to do.',
  ),
};

export const whatIfSchema = Type.Object(decisionMembers, {
  title: 'WhatIf',
  description: 'What would be decided if the event came now, with some of its values otherwise.',
});

export type WhatIfAnswer = Type.Static<typeof whatIfSchema>;

export const decideThenBody = exactly({
  edits: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      description: 'A merge patch of the body as it was received (RFC 7396). Left out: the event as it came.',
      [checkedLater]: true,
    }),
  ),
  ...showMember,
});

const decidedThenSchema = Type.Object(
  {
    ...decisionMembers,
    records: count('Records of the log that were stepped for it.', 48_112),
    unreadable: count('Events among them that can be read no more, as their clients were erased.', 0),
    differences: list(
      documenting<Change>(
        Type.Object(
          {
            what: word('Of the decision.', 'rules'),
            recorded: word('As it was recorded.', '301'),
            replayed: word('As it came out now.', 'none'),
          },
          { title: 'DecisionChange' },
        ),
      ),
      'What came out otherwise than it was recorded: nothing, unless something cannot be made again. Of an event with edits nothing is compared.',
      [],
    ),
  },
  { title: 'DecidedThen', description: 'An event decided again on what was known at its own moment.' },
);

export type DecidedThenAnswer = Type.Static<typeof decidedThenSchema>;

export const decideThenEvents = Type.Object(
  { progress: progressSchema, decided: decidedThenSchema, problem: streamProblemSchema },
  { title: 'DecideThenEvents', description: 'The data of the events of the stream, by their names.' },
);
