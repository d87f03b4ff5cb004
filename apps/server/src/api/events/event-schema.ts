import { type Enrichment, eventKinds, sessionLengthMax } from '@ringfence/contract';
import type { FiredRule } from '@ringfence/engine';
import type { SummaryPart } from '@ringfence/policy';
import { Type } from 'typebox';
import {
  maskDerived,
  maskEntity,
  maskFacts,
  maskPayload,
  maskSummaryPart,
  maskText,
} from '../../access/audit/personal.ts';
import { exactly, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { showMember } from '../server/show-member.ts';
import { timeRange } from '../server/time-range.ts';
import { actionSchema, actionStates } from '../actions/action-schema.ts';
import { labels } from '../labels/label-schema.ts';
import { reportedOutcomeSchema } from './reported-outcome-schema.ts';
import {
  anything,
  choice,
  count,
  documenting,
  flag,
  instant,
  inWorkspace,
  list,
  mapping,
  nonPersonalWord,
  pageQuery,
  personal,
  seldom,
  word,
} from '../server/members.ts';

/** `accepted` is read from the log; all other states are in the event's row. */
const eventStatuses = ['accepted', 'waiting', 'decided', 'repeat', 'unreadable', 'quarantined'] as const;

const statusMeaning =
  '`accepted`: stored, not processed yet; `waiting`: an operation that waits for its login; `decided`; `repeat`: a retry of an event, stored but not applied; `unreadable`: its client was erased before it was decided; `quarantined`: the engine failed on it three times.';

export const eventSummarySchema = Type.Object(
  {
    id: nonPersonalWord('As returned when the event was sent.', 'evt_1795256130_42'),
    kind: choice(eventKinds, 'What was reported.', 'operation'),
    status: choice(eventStatuses, statusMeaning, 'decided'),
    loggedAt: instant('When it was stored.'),
    eventAt: Type.Optional(instant('The time in the event, as seen by the rules.')),
    decidedAt: Type.Optional(instant('When it was decided, in log time.')),
    channelId: Type.Optional(count('As sent.', 1)),
    client: Type.Optional(
      personal(
        word('`user`, or `account.client`. Absent if it named none, or the client was erased.', 'ana'),
        maskText,
      ),
    ),
    session: Type.Optional(
      personal(word('As sent. Absent for the unnamed session, or if the client was erased.', 's-1'), maskText),
    ),
    clientRef: Type.Optional(
      nonPersonalWord('Identifies the client without revealing it: `about=client:…`.', 'abcdefghabcdefgh'),
    ),
    sessionRef: Type.Optional(
      nonPersonalWord('Identifies the session without revealing it.', 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'),
    ),
    amount: Type.Optional(nonPersonalWord('Amount of the order, with its digits as sent.', '10.50')),
    currency: Type.Optional(nonPersonalWord('Currency of the order.', 'MXN')),
    payee: Type.Optional(
      personal(
        word('The payee as `bank/number`. Absent if there is none, or the client was erased.', 'B2/17'),
        (text) => maskEntity('payee', text),
      ),
    ),
    payeeRef: Type.Optional(
      nonPersonalWord('Identifies the payee without revealing it: `about=payee:…`.', 'n4bQgYhMfWWaL-qgxVrQFQ'),
    ),
    payeeBank: Type.Optional(nonPersonalWord('Bank of the payee, as sent.', 'B2')),
    country: Type.Optional(nonPersonalWord("Country of the event's address, or of its session's login.", 'MX')),
    erased: seldom(flag('Its client was erased: its personal data can no longer be read.')),
    policyVersion: Type.Optional(count('The policy that decided it.', 3)),
    repeatOf: seldom(nonPersonalWord('The event that it repeats.', 'evt_1795256130_41')),
    matched: Type.Optional(flag('Whether an operation found its session.')),
    mismatch: seldom(
      choice(['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'], 'Why an operation found no session.'),
    ),
    fired: list(count('`reason` of a rule.', 301), 'Rules that fired and acted.'),
    shadow: list(
      count('`reason` of a rule.'),
      'Rules that fired in shadow mode, or did not act because the event is in the control group of a model.',
      [],
    ),
    control: seldom(
      list(count('`reason` of a rule.', 700), 'Those of `shadow` that did not act because of a control group.'),
    ),
    actions: Type.Optional(
      list(
        Type.Object(
          {
            id: nonPersonalWord('Id of the action.', 'act_k3v7q2ma_1795256130_42_301_0'),
            action: count('What the bank is asked to do.', 2),
            state: choice(actionStates, 'Its state.', 'executed'),
          },
          { title: 'EventAction' },
        ),
        'What the bank was asked to do; only in lists with `about`, and in exports.',
      ),
    ),
    label: seldom(choice(labels, 'What it turned out to be; only in lists with `about`, and in exports.')),
  },
  { title: 'Event', description: 'An event with what was decided about it.' },
);

/** An event as lists return it. */
export type EventSummary = Type.Static<typeof eventSummarySchema>;

/** Members of a summary in one language. */
export const summaryMembers = {
  language: nonPersonalWord('A language tag of BCP 47.', 'en'),
  parts: list(
    Type.Object(
      {
        text: personal(
          word('A literal text, or a value in a form for people.', '25,000.00'),
          (_: string, part: SummaryPart) => maskSummaryPart(part),
        ),
        of: seldom(
          list(
            nonPersonalWord('A fact or a feature.', 'order.amount'),
            'For a value: what it was computed from. Masked unless shown if one of these is personal.',
          ),
        ),
        type: seldom(
          choice(
            ['string', 'int', 'double', 'decimal', 'bool', 'timestamp', 'duration', 'map'],
            'For a value: its type.',
            'decimal',
          ),
        ),
      },
      { title: 'SummaryPart' },
    ),
    'Texts that make up the sentence, in order.',
  ),
};

export const firedRuleSchema = documenting<FiredRule>(
  Type.Object(
    {
      reason: count('Number of the rule.', 301),
      name: nonPersonalWord('Name of the rule.', 'Six transfers in five minutes'),
      mode: choice(['live', 'shadow'], 'As set in the policy.'),
      suppressed: seldom(
        choice(
          ['cooldown', 'suppression', 'hold', 'control'],
          'It fired, but its actions were left out. `hold`: it repeats a payment that is held already. `control`: the event is in the control group of a model.',
        ),
      ),
      withheld: seldom(
        list(count('The number of the action.', 7), 'The actions that it did not request because it was suppressed.'),
      ),
      score: Type.Optional(count('What it added to the score of the event.', 30)),
      facts: personal(
        mapping<string>(Type.String(), 'Facts that its condition read, as text. Missing facts are left out.', {
          clientPaid5m: '6',
        }),
        maskFacts,
      ),
      summary: seldom(
        list(
          Type.Object(summaryMembers, { title: 'RuleSummary' }),
          'What happened, in each language of the rule; only if it acted live and has a summary.',
        ),
      ),
    },
    { title: 'FiredRule', description: 'Why a rule fired.' },
  ),
);

export const eventDetailSchema = Type.Object(
  {
    ...Type.Omit(eventSummarySchema, ['actions', 'label']).properties,
    received: Type.Optional(
      personal(
        anything('The body as received, numbers with their digits; card numbers are masked, hashes replaced.'),
        (body) => maskPayload(body),
      ),
    ),
    derived: Type.Optional(
      personal(
        mapping<Enrichment['facts'][string]>({}, 'Facts added by enrichment when it arrived, by path.', {
          'ip.valid': true,
        }),
        maskDerived,
      ),
    ),
    rules: list(firedRuleSchema, 'Rules that fired, with the facts that they read.'),
    missing: list(count('`reason` of a rule.'), 'Rules that lacked a fact; known if another rule fired.', []),
    score: count('Sum of the scores of the rules that fired live.', 0),
    actions: list(actionSchema, 'What the bank was asked to do because of it.'),
    outcomes: list(reportedOutcomeSchema, 'What the bank reported about it, oldest first.'),
  },
  { title: 'EventDetail', description: 'An event with what was received, derived and decided, and its actions.' },
);

export type EventDetail = Type.Static<typeof eventDetailSchema>;

/** Query members that select a client, a session or a rule. */
const aboutMembers = {
  client: Type.Optional(
    text({ maxLength: 256, description: 'The client, exactly. An unknown client yields an empty list.' }),
  ),
  session: Type.Optional(text({ maxLength: sessionLengthMax, description: 'The session, exactly.' })),
  reason: Type.Optional(
    wholeNumber({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Only events on which this rule fired, live or in shadow.',
    }),
  ),
};

/** Filters that name no client. */
export const eventFilterMembers = {
  reason: aboutMembers.reason,
  kind: Type.Optional(oneOf(eventKinds, { description: 'What was reported.' })),
  status: Type.Optional(
    oneOf(eventStatuses, { description: 'By default all but `accepted`, which are not decided yet.' }),
  ),
  channel: Type.Optional(wholeNumber({ minimum: 0, maximum: 2_147_483_647, description: 'Only of this channel.' })),
  policyVersion: Type.Optional(
    wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'Only decided by this version of the policy.' }),
  ),
  currency: Type.Optional(text({ maxLength: 16, description: 'Currency of the order.' })),
  payeeBank: Type.Optional(text({ maxLength: 64, description: 'Bank of the payee, as sent.' })),
  country: Type.Optional(
    text({
      maxLength: 2,
      description: "Country of the address of the event, or of its session's login: two letters of ISO 3166-1.",
      expected: 'two capital letters, such as MX',
      refine: (given) => (/^[A-Z]{2}$/.test(given) ? undefined : 'two capital letters, such as MX'),
    }),
  ),
  amountMin: Type.Optional(amountText('Minimum amount of the order.')),
  amountMax: Type.Optional(amountText('Maximum amount of the order.')),
};

export const eventQuery = exactly({
  ...pageQuery,
  client: aboutMembers.client,
  session: aboutMembers.session,
  about: Type.Optional(
    text({
      maxLength: 80,
      description:
        'An entity that it names, as `client:REF`, `session:REF`, `device:REF`, `ip:REF`, `account:REF`, `payee:REF` or `reference:REF`.',
      expected: 'a kind and a reference, such as device:REF',
    }),
  ),
  payee: Type.Optional(
    text({
      maxLength: 200,
      description: 'The payee, exactly: `bank/number`, or the number alone. An unknown one yields an empty list.',
    }),
  ),
  ...eventFilterMembers,
  ...timeRange('Stored'),
  ...showMember,
});

function amountText(description: string): Type.TString {
  return text({
    maxLength: 40,
    description,
    expected: 'a decimal number',
    refine: (given) => (/^\d{1,30}(?:\.\d{1,6})?$/.test(given) ? undefined : 'a decimal number'),
  });
}

export const inEvent = exactly({
  ...inWorkspace.properties,
  event: text({ maxLength: 64, description: 'The id of the event: evt_…', expected: 'the id of an event' }),
});
