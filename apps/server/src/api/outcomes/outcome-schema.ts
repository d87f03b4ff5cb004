import { outcomeNames, outcomeSchema } from '@ringfence/contract';
import { Type } from 'typebox';
import { maskText } from '../../access/audit/personal.ts';
import { outcomeReasons, reasonOf } from '../../outcomes/outcome-reasons.ts';
import { outcomeStateFilters, outcomeStates, type StoredOutcome } from '../../outcomes/outcome-rows.ts';
import { eventId } from '../../records/event-id.ts';
import { exactly, oneOf, text } from '../../platform/shapes/shape.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { checkedLater } from '../server/check-request.ts';
import { choice, instant, nonPersonalWord, pageQuery, personal, removed, seldom, word } from '../server/members.ts';
import { showMember } from '../server/show-member.ts';

/** Keywords of the wire's schemas that only its own check reads. */
const wireKeywords: ReadonlySet<string> = new Set(['x-reads-as', 'x-card-numbers']);

/** The same members as in a report to the public listener; the wire's own check reads their values. */
export const outcomeBody = exactly(
  Object.fromEntries(Object.entries(outcomeSchema.properties).map(([name, member]) => [name, memberOf(name, member)])),
);

function memberOf(name: string, member: Type.TSchema): Type.TSchema {
  const kept = Object.entries(member).filter(([keyword]) => !wireKeywords.has(keyword));
  const schema = Type.Unsafe({ ...Object.fromEntries(kept), expected: 'this member', [checkedLater]: true });
  return outcomeSchema.required.includes(name as 'outcome') ? schema : Type.Optional(schema);
}

export const acceptedOutcomeSchema = Type.Object(
  {
    id: nonPersonalWord('Id of the report.', 'out_k3x7q2ma5bcd2f7h'),
    status: choice(['accepted'], 'It is stored durably.'),
  },
  { title: 'AcceptedOutcome' },
);

export const outcomeQuery = exactly({
  state: Type.Optional(
    oneOf(outcomeStateFilters, {
      description: 'Only those that wait for their event, were matched with it, or will never be; `open`: not matched.',
    }),
  ),
  reasonCode: Type.Optional(oneOf(outcomeReasons, { description: 'Only those that are not matched for this reason.' })),
  event: Type.Optional(
    text({ maxLength: 64, description: 'Only those that were matched with this event.', expected: 'an event id' }),
  ),
  ...pageQuery,
  ...showMember,
});

export const outcomeSchemaOfAnswer = Type.Object(
  {
    id: nonPersonalWord('Id of the report.', 'out_k3x7q2ma5bcd2f7h'),
    outcome: choice(outcomeNames, 'What was reported.', 'chargeback'),
    state: choice(
      outcomeStates,
      '`waiting` for its event, up to 24 hours; `matched` with its event, and in force; `unmatched` for good.',
      'unmatched',
    ),
    reason: Type.Optional(
      nonPersonalWord('Why it is not matched, or not yet.', 'this client has 2 operations with this reference'),
    ),
    reasonCode: Type.Optional(choice(outcomeReasons, 'The kind of `reason`.', 'severalOperations')),
    event: Type.Optional(
      nonPersonalWord('The event that it was matched with, or that the report names.', 'evt_1795256130_42'),
    ),
    webhookId: seldom(nonPersonalWord('The action that the report names.', 'act_k3x7q2ma_1795256130_42_302_0')),
    user: Type.Optional(personal(word('The client that the report names. Absent once erased.', 'ana'), maskText)),
    reference: Type.Optional(
      personal(word('The reference that the report names. Absent once the client is erased.', 'REF-0001187'), maskText),
    ),
    note: seldom(personal(word('Absent once the client is erased.', 'The client called.'), removed)),
    author: nonPersonalWord('Who reported it.', 'token:chargebacks'),
    receivedAt: instant('When it arrived.'),
  },
  { title: 'Outcome' },
);

export function printOutcome(
  workspace: Pick<Workspace, 'environment'>,
  { found, message, reason, ...outcome }: StoredOutcome,
): Type.Static<typeof outcomeSchemaOfAnswer> {
  const event = found === undefined ? message?.event : eventId(found, workspace);
  const reasonCode = reason === undefined ? undefined : reasonOf(reason);
  const { webhookId, user, reference, note } = message ?? {};
  return {
    id: outcome.id,
    outcome: outcome.outcome,
    state: outcome.state,
    ...(reason === undefined ? {} : { reason }),
    ...(reasonCode === undefined ? {} : { reasonCode }),
    ...(event === undefined ? {} : { event }),
    ...(webhookId === undefined ? {} : { webhookId }),
    ...(user === undefined ? {} : { user }),
    ...(reference === undefined ? {} : { reference }),
    ...(note === undefined ? {} : { note }),
    author: outcome.author,
    receivedAt: new Date(outcome.receivedAtMs).toISOString(),
  };
}
