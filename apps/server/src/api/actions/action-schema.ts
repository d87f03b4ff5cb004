import { answeredActionStates, sessionLengthMax } from '@ringfence/contract';
import { type NumberedAttempt, redeliverableAgain } from '@ringfence/delivery';
import { Type } from 'typebox';
import { maskText } from '../../access/audit/personal.ts';
import { exactly, oneOf, type Refusal, text, wholeNumber, yesOrNo } from '../../platform/shapes/shape.ts';
import { showMember } from '../server/show-member.ts';
import { timeRange } from '../server/time-range.ts';
import {
  choice,
  count,
  flag,
  instant,
  inWorkspace,
  list,
  mapping,
  nonPersonalWord,
  pageQuery,
  personal,
  removed,
  seldom,
  word,
} from '../server/members.ts';

export const actionStates = answeredActionStates;

const stateMeaning =
  '`waiting`: waits for another action of its session; `due`: to be sent; `leased`: being sent; `executed`: code 1; `notExecuted`: code 0; `dead`: every attempt failed; `expired`: too late to send; `capped`: exceeds the maxActions of its rule and waits for a person; `dropped`: ended by a person; `observed`: the workspace only observes; `notAddressable`: the event named no client; `erased`: its client was erased.';

export const actionSchema = Type.Object(
  {
    id: nonPersonalWord('Also its `webhook-id` in every attempt.', 'act_k3v7q2ma_1795256130_42_301_0'),
    event: nonPersonalWord('The event that was decided.', 'evt_1795256130_42'),
    reason: count('Number of the rule.', 301),
    action: count(
      'What the bank is asked to do: 1 to 5 as the interface defines them, 6 and above are custom actions.',
      2,
    ),
    state: choice(actionStates, stateMeaning, 'executed'),
    channelId: count('Channel of the event.', 1),
    client: Type.Optional(
      personal(word('In clear; the webhook carries its hash. Absent if the client was erased.', 'ana'), maskText),
    ),
    session: Type.Optional(
      personal(word('"" for the unnamed session. Absent if the client was erased.', 's-1'), maskText),
    ),
    message: Type.Optional(
      personal(word('As sent. Absent if the client was erased.', 'Your session was closed.'), maskText),
    ),
    erased: seldom(flag('Its client was erased: its personal data can no longer be read.')),
    format: choice(['text', 'html'], 'Of the message.'),
    attempts: count('How often it was sent.', 1),
    decidedAt: instant('When the rule fired.'),
    expiresAt: instant('From then on it is not sent.', '2026-11-21T16:30:30.250Z'),
    dueAt: seldom(instant('When it is sent next; only while it is queued.')),
    finishedAt: Type.Optional(instant('When it was finished.')),
  },
  { title: 'Action', description: 'What the bank is asked to do.' },
);

/** An action as the API returns it. */
export type PrintedAction = Type.Static<typeof actionSchema>;

const failureReasons = [
  'status',
  'redirect',
  'answer',
  'answerTooLong',
  'blocked',
  'insecure',
  'dns',
  'refused',
  'tls',
  'connectTimeout',
  'timeout',
  'reset',
  'protocol',
  'proxy',
  'interrupted',
] as const satisfies readonly NonNullable<NumberedAttempt['reason']>[];

const attemptSchema = Type.Object(
  {
    number: count('1 for the first.', 1),
    startedAt: instant('When it began.'),
    durationMs: count('From connecting to the end of the answer, in milliseconds.', 12),
    result: choice(['executed', 'notExecuted', 'failed'], 'Code 1, code 0, or anything else.'),
    reason: seldom(choice(failureReasons, 'Why it failed.')),
    status: Type.Optional(count('HTTP status of the answer.', 200)),
    address: Type.Optional(nonPersonalWord('The address that was connected to.', '203.0.113.9')),
    error: seldom(nonPersonalWord('The error of the connection.', 'connect ECONNREFUSED')),
    // The bank's server answers what it likes, also personal data.
    message: Type.Optional(personal(word('`message` of the answer.', 'closed'), removed)),
    headers: Type.Optional(
      personal(
        mapping<string>(Type.String(), 'Headers of the answer.', { 'content-type': 'application/json' }),
        removed,
      ),
    ),
    body: Type.Optional(personal(word('The first 16 KiB of the answer.', '{"code":1}'), removed)),
  },
  { title: 'Attempt', description: 'One POST of an action. The transcript is absent once the client was erased.' },
);

export type PrintedAttempt = Type.Static<typeof attemptSchema>;

export const actionDetailSchema = Type.Object(
  { ...actionSchema.properties, history: list(attemptSchema, 'Every attempt, oldest first.') },
  { title: 'ActionDetail' },
);

export const changedSchema = Type.Object(
  {
    changed: count('How many actions were changed. At most 10,000 per call: repeat the call until it is 0.', 1),
  },
  { title: 'Changed' },
);

const narrowing = {
  client: Type.Optional(text({ maxLength: 256, description: 'The client, exactly.' })),
  session: Type.Optional(text({ maxLength: sessionLengthMax, description: 'The session, exactly.' })),
  reason: Type.Optional(wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'Only actions of this rule.' })),
  ...timeRange('Decided'),
};

export const actionQuery = exactly({
  ...pageQuery,
  state: Type.Optional(oneOf(actionStates, { description: 'Only actions in this state.' })),
  ...narrowing,
  ...showMember,
});

/** Prevents a forgotten body from matching everything. */
function atLeastOne(body: object): readonly Refusal[] | undefined {
  if (Object.keys(body).length > 0) return undefined;
  return [{ path: [], expected: 'at least one member, to select actions' }];
}

const again = Type.Optional(
  yesOrNo({
    description:
      'Send executed actions again too, for a bank that lost them, for example one that was restored from a backup. Any other bank may execute them twice.',
  }),
);

export const againBody = exactly({ again });

const finished = timeRange('Finished');

export const redeliveryBody = exactly(
  {
    state: Type.Optional(
      oneOf(redeliverableAgain, {
        description: 'Default: `expired`, `dead` and `notExecuted`, and with `again` also `executed`.',
      }),
    ),
    again,
    finishedFrom: finished.from,
    finishedTo: finished.to,
    ...narrowing,
  },
  {
    refine: ({ again: isAgain, ...selecting }) => {
      if (isAgain !== true && selecting.state === 'executed')
        return [{ path: ['again'], expected: 'true, because the bank has executed these actions' }];
      if (isAgain === true && selecting.finishedTo === undefined)
        return [
          { path: ['finishedTo'], expected: 'an instant, so that repeating the call sends nothing a third time' },
        ];
      return atLeastOne(selecting);
    },
  },
);

export const cappedBody = exactly(narrowing, { refine: atLeastOne });

export const inAction = exactly({
  ...inWorkspace.properties,
  action: text({ maxLength: 128, description: 'The id of the action: act_…', expected: 'the id of an action' }),
});
