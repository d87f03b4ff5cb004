/** The messages of streams: their schemas mask, document and check them, as those of the management API do. */
import { Type } from 'typebox';
import { outcomeNames } from '@ringfence/contract';
import { actionSchema } from '../api/actions/action-schema.ts';
import { alertSchema } from '../api/alerts/alert-schema.ts';
import { auditEntrySchema } from '../api/audit/audit-schema.ts';
import { eventDetailSchema } from '../api/events/event-schema.ts';
import { reportedOutcomeSchema } from '../api/events/reported-outcome-schema.ts';
import {
  choice,
  count,
  flag,
  instant,
  list,
  nonPersonalWord,
  personal,
  removed,
  seldom,
  word,
} from '../api/server/members.ts';
import type { StreamKind } from './stream-settings.ts';

const client = Type.Optional(
  nonPersonalWord(
    'The keyed hash of the client, as in webhooks. Absent if it names none, or the client was erased. The key of the message in Kafka.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
);

const reduced = seldom(
  flag('The whole message was larger than the topic takes: personal values, rules and details are left out.'),
);

/** Members of every message; `id` removes repeats. */
function envelope<Kind extends StreamKind>(
  kind: Kind,
  { id, sequence }: { readonly id: string; readonly sequence: string },
) {
  return {
    id: nonPersonalWord(
      `Identifies the message among those of its kind: a repeat has the same. ${id}`,
      'evt_1795256130_42',
    ),
    kind: choice([kind], 'The kind of the message.'),
    workspace: nonPersonalWord('Name and environment of the workspace.', 'acme/production'),
    sequence: count(`Grows with every message of its kind and workspace. ${sequence}`, 42),
    at: instant('When it happened.'),
  };
}

const place = {
  epoch: count(
    'Of the log: it grows when the database is restored, and offsets can then be used again.',
    1_795_256_130,
  ),
  offset: count('Of the record in the log.', 42),
};

const { actions: _actions, outcomes: _outcomes, ...decidedEvent } = eventDetailSchema.properties;

const decisionSchema = Type.Object(
  {
    ...envelope('decisions', { id: 'The id of the event.', sequence: 'The offset of the event.' }),
    ...place,
    client,
    event: Type.Object(decidedEvent, { title: 'DecidedEvent' }),
    reduced,
  },
  {
    title: 'DecisionMessage',
    description:
      'An event with what was decided about it, once it is decided. Events of a workspace leave in the order of the log.',
  },
);

const {
  state: _state,
  attempts: _attempts,
  dueAt: _dueAt,
  finishedAt: _finishedAt,
  ...requested
} = actionSchema.properties;

const requestedSchema = Type.Object(
  {
    ...requested,
    resolves: seldom(nonPersonalWord('The action whose hold it ends.', 'act_k3v7q2ma_1795256130_42_301_0')),
  },
  { title: 'RequestedAction' },
);

const actionMessageSchema = Type.Object(
  {
    ...envelope('actions', { id: 'The id of the action.', sequence: 'The number of the action.' }),
    ...place,
    position: count('Its place among the actions of the rule for this event.', 0),
    client,
    action: requestedSchema,
    reduced,
  },
  { title: 'ActionMessage', description: 'What the bank is asked to do. What came of it is an outcome.' },
);

const alertMessageSchema = Type.Object(
  {
    ...envelope('alerts', { id: 'The alert and its change.', sequence: 'The number of the change.' }),
    client,
    change: choice(
      ['opened', 'grew', 'claimed', 'released', 'closed'],
      'What happened to it. `closed`: also when its outcome is corrected.',
    ),
    alertId: nonPersonalWord('The alert.', 'alr_abc234def567'),
    alert: Type.Optional(
      Type.Unsafe<Type.Static<typeof alertSchema>>({
        ...alertSchema,
        description:
          'The alert when the message was made: as after this change, or a later one. Absent if it was removed.',
      }),
    ),
    reduced,
  },
  { title: 'AlertMessage', description: 'A change of an alert.' },
);

/** The results of actions, and what is said about events. */
export const outcomeChanges = [
  'actionExecuted',
  'actionNotExecuted',
  'actionFailed',
  'actionExpired',
  'actionsReleased',
  'actionsDropped',
  'labelled',
  'reported',
  'holdProposed',
  'holdWithdrawn',
  'holdReleased',
  'holdRejected',
] as const;

const {
  author: _author,
  outcome: _outcome,
  note: _note,
  reportedAt: _reportedAt,
  ...reported
} = reportedOutcomeSchema.properties;

const outcomeMessageSchema = Type.Object(
  {
    ...envelope('outcomes', { id: 'Epoch and offset of its record.', sequence: 'The offset of its record.' }),
    ...place,
    client,
    change: choice(
      outcomeChanges,
      '`actionExecuted`: code 1; `actionNotExecuted`: code 0; `actionFailed`: every attempt failed; `actionExpired`: too late to send; `actionsReleased`, `actionsDropped`: capped actions, by a person; `labelled`: the event turned out to be fraud or legitimate; `reported`: by the bank; `hold…`: what people decided about a held payment.',
    ),
    event: Type.Optional(nonPersonalWord('The event that it is about.', 'evt_1795256130_42')),
    actions: seldom(
      list(
        nonPersonalWord('The id of an action.', 'act_k3v7q2ma_1795256130_42_301_0'),
        'The actions that it is about.',
      ),
    ),
    label: seldom(
      choice(
        ['fraud', 'legitimate', 'none'],
        'What the event turned out to be. `none`: an earlier label was taken back.',
      ),
    ),
    outcome: seldom(choice(outcomeNames, 'What the bank reported.', 'stepUpPassed')),
    ...reported,
    author: seldom(nonPersonalWord('Who said it.', 'token backoffice')),
    note: seldom(personal(word('Their note. Absent once the client is erased.', 'called back'), removed)),
    reduced,
  },
  {
    title: 'OutcomeMessage',
    description: 'The result of an action, or what is said about an event, as the log records it.',
  },
);

const auditMessageSchema = Type.Object(
  {
    ...envelope('audit', { id: 'Number and hash of the entry.', sequence: 'The number of the entry.' }),
    workspace: Type.Optional(
      nonPersonalWord(
        'Name and environment of the workspace. Absent if the entry concerns the installation.',
        'acme/production',
      ),
    ),
    entry: auditEntrySchema,
    reduced,
  },
  { title: 'AuditMessage', description: 'An entry of the audit log.' },
);

export const messageSchemas = {
  decisions: decisionSchema,
  actions: actionMessageSchema,
  alerts: alertMessageSchema,
  outcomes: outcomeMessageSchema,
  audit: auditMessageSchema,
} as const satisfies Readonly<Record<StreamKind, Type.TObject>>;

export type DecisionMessage = Type.Static<typeof decisionSchema>;
export type ActionMessage = Type.Static<typeof actionMessageSchema>;
export type AlertMessage = Type.Static<typeof alertMessageSchema>;
export type OutcomeMessage = Type.Static<typeof outcomeMessageSchema>;
export type AuditMessage = Type.Static<typeof auditMessageSchema>;

/** Members whose values may be long; a message that is too large leaves without them. */
const large: Readonly<Record<StreamKind, readonly string[]>> = {
  decisions: ['event.received', 'event.derived', 'event.rules'],
  actions: ['action.message'],
  alerts: ['alert'],
  outcomes: ['note', 'actions'],
  audit: ['entry.detail'],
};

/** The message without what makes it large, and a mark that says so. It no longer has all members that are required. */
export function reducedMessage(kind: StreamKind, message: object): object {
  let copy = message as Readonly<Record<string, unknown>>;
  for (const path of large[kind]) {
    const [first, second] = path.split('.') as [string, string | undefined];
    copy = without(copy, first, second);
  }
  return { ...copy, reduced: true };
}

function without(from: Readonly<Record<string, unknown>>, first: string, second: string | undefined): typeof from {
  const { [first]: member, ...rest } = from;
  if (second === undefined || member === undefined) return rest;
  const { [second]: _, ...kept } = member as Readonly<Record<string, unknown>>;
  return { ...rest, [first]: kept };
}
