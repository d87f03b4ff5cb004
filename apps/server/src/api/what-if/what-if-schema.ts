import { Type } from 'typebox';
import { maskFacts, maskText } from '../../access/audit/personal.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import type { Change } from '../../backtest/replay/compare-decision.ts';
import { checkedLater } from '../server/check-request.ts';
import { showMember } from '../server/show-member.ts';
import { conditionSchema } from '../backtests/backtest-schema.ts';
import { firedRuleSchema } from '../events/event-schema.ts';
import { choice, count, documenting, flag, list, nonPersonalWord, personal, seldom, word } from '../server/members.ts';
import { progressSchema, streamProblemSchema } from '../live/stream-schema.ts';

export const whatIfBody = exactly({
  edits: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'A merge patch (RFC 7396) of the body as received: only the values to change.',
    expected: 'an object',
    [checkedLater]: true,
  }),
  ...showMember,
});

const unmatchedSchema = documenting<UnfiredRule>(
  Type.Object(
    {
      reason: count('Number of the rule.', 302),
      name: nonPersonalWord('Its name.', 'Payments to many payees within minutes'),
      mode: choice(['live', 'shadow'], 'As the policy says.'),
      text: nonPersonalWord('Its condition.', 'clientPayeesPaid10m >= 4'),
      conditions: list(conditionSchema, 'The parts of its condition, in their order.'),
      isPassedOver: flag('A rule of its group fired before it, and the group stops at the first.', false),
    },
    { title: 'UnmatchedRule' },
  ),
);

/** Members of a decision about a queried event. */
const decisionMembers = {
  outcome: choice(['decided', 'repeat', 'unreadable'], 'Whether it would be decided.'),
  policyVersion: count('The policy that would decide.', 3),
  score: count('Sum of the scores of the live rules that fired.', 80),
  matched: Type.Optional(flag('Whether an operation finds its session.')),
  mismatch: seldom(choice(['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'], 'Why it finds no session.')),
  rules: list(firedRuleSchema, 'Rules that fire, with the facts that they read.'),
  unmatched: list(unmatchedSchema, 'Rules for this kind of event that do not fire, part by part.'),
  missing: list(count('`reason` of a rule.'), 'Rules that lack a fact.', []),
  actions: list(
    Type.Object(
      {
        reason: count('Number of the rule.', 301),
        action: count('What the bank is asked to do.', 2),
        state: choice(['due', 'capped', 'observed', 'notAddressable'], 'What would happen to it.'),
        message: personal(word('Masked unless shown.', 'Yo•••d.'), maskText),
      },
      { title: 'SupposedAction' },
    ),
    'What the bank is asked to do.',
  ),
};

export const whatIfSchema = Type.Object(decisionMembers, {
  title: 'WhatIf',
  description: 'What would be decided if the event came now, with some of its values changed.',
});

export type WhatIfAnswer = Type.Static<typeof whatIfSchema>;

export const decideThenBody = exactly({
  edits: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      description: 'A merge patch of the body as received (RFC 7396). Without it: the event as it was.',
      [checkedLater]: true,
    }),
  ),
  ...showMember,
});

/** Facts that a rule saw may be personal; rule numbers, actions and times are not. */
function maskChanged(text: string, { what }: Change): string {
  const path = / saw (\S+)$/.exec(what)?.[1];
  return path === undefined ? text : maskFacts({ [path]: text })[path]!;
}

const decidedThenSchema = Type.Object(
  {
    ...decisionMembers,
    records: count('Records of the log that were replayed for it.', 48_112),
    unreadable: count('Events among them that can no longer be read because their clients were erased.', 0),
    differences: list(
      documenting<Change>(
        Type.Object(
          {
            what: nonPersonalWord('The part of the decision.', 'rules'),
            recorded: personal(word('As it was recorded.', '301'), maskChanged),
            replayed: personal(word('As replayed now.', 'none'), maskChanged),
          },
          { title: 'DecisionChange' },
        ),
      ),
      'Differences between the recorded and the replayed decision: none, unless something cannot be reproduced. With edits, nothing is compared.',
      [],
    ),
  },
  { title: 'DecidedThen', description: 'An event decided again on the state of its own moment.' },
);

export type DecidedThenAnswer = Type.Static<typeof decidedThenSchema>;

export const decideThenEvents = Type.Object(
  { progress: progressSchema, decided: decidedThenSchema, problem: streamProblemSchema },
  { title: 'DecideThenEvents', description: 'The data of the events of the stream, by their names.' },
);
