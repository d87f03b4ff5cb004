import { Type } from 'typebox';
import { exactly } from '../../config/shape.ts';
import { checkedLater } from '../check-request.ts';
import { showMember } from '../show-member.ts';
import { conditionSchema } from './backtest-schema.ts';
import { firedRuleSchema } from './event-schema.ts';
import { choice, count, flag, list, seldom, word } from './members.ts';

export const whatIfBody = exactly({
  edits: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'A merge patch of the body as it was received (RFC 7396): send what is to be otherwise.',
    [checkedLater]: true,
  }),
  ...showMember,
});

export const whatIfSchema = Type.Object(
  {
    outcome: choice(['decided', 'repeat', 'unreadable'], 'Whether it would be decided.'),
    score: count('The scores of the live rules that fired, added up.', 80),
    matched: Type.Optional(flag('Whether an operation would find its session now.')),
    mismatch: seldom(
      choice(['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'], 'Why it would find none.'),
    ),
    rules: list(firedRuleSchema, 'Rules that would fire, with the facts that they would see.'),
    unmatched: list(
      Type.Object(
        {
          reason: count('Number of the rule.', 302),
          name: word('Its name.', 'Payments to many payees within minutes'),
          conditions: list(conditionSchema, 'The parts of its condition, in their order.'),
        },
        { title: 'UnmatchedRule' },
      ),
      'Rules for this kind of event that would not fire, part by part.',
    ),
    missing: list(count('`reason` of a rule.'), 'Rules that would meet a missing fact.', []),
    actions: list(
      Type.Object(
        {
          reason: count('Number of the rule.', 301),
          action: count('What the bank would be asked to do.', 2),
          state: choice(['due', 'held', 'observed', 'notAddressable'], 'What would become of it.'),
          message: word('Masked unless shown.', 'Yo•••d.'),
        },
        { title: 'SupposedAction' },
      ),
      'What the bank would be asked to do.',
    ),
  },
  { title: 'WhatIf', description: 'What would be decided if the event came now, with some of its values otherwise.' },
);
