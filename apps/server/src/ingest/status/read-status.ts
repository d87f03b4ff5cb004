import {
  clientOf,
  isEventKind,
  type LiveStatusAnswer,
  Problem,
  sessionOf,
  type StatusAction,
  type StatusAnswer,
  type StatusRequest,
} from '@ringfence/contract';
import { type ActionState, shownState } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { entityIndex } from '../../console/event-index/entities.ts';
import { answeredHolds } from '../../holds/answered-holds.ts';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { eventId, eventIdentity } from '../../records/event-id.ts';
import { openDecision, openEventRecord } from '../../records/event-opener.ts';
import { type LiveAnswer, type LiveQuestion, sessionRef, shortRef } from '../../records/live-status.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { openMessage, sessionAnswer, suppressionsOf } from '../wait/read-conclusions.ts';
import type { LiveStatus } from './live-status.ts';
import type { FoundEvent, StatusRows } from './status-rows.ts';

export interface StatusSource {
  readonly pool: Pick<Pool, 'query'>;
  readonly rows: Pick<StatusRows, 'find'>;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'find'>;
  readonly live: Pick<LiveStatus, 'ask'>;
}

export interface Status {
  readonly answer: StatusAnswer;
  /** Whether the engine answered in time. If not, `session.active` and `client` are missing. */
  readonly isLive: boolean;
}

/** What the engine is asked; `undefined` if the event names no client. */
type Question = Omit<LiveQuestion, 'number'> | undefined;

/** The members about an event, and the question about its session and its client. */
interface EventStatus {
  readonly answer: StatusAnswer | Promise<StatusAnswer>;
  readonly question: Question;
}

/**
 * The status of what a sender asks about. Only data of its workspace is read.
 *
 * @throws Problem `thing.unknown`, whether or not it exists in another workspace
 */
export async function readStatus(source: StatusSource, workspace: Workspace, request: StatusRequest): Promise<Status> {
  const { question, ...asked } = await eventStatus(source, workspace, request);
  const [live, answer] = await Promise.all([question && source.live.ask(workspace.id, question), asked.answer]);
  const { session, client } = liveMembers(question, live);
  const about =
    session === undefined && answer.session === undefined ? {} : { session: { ...answer.session, ...session } };
  return {
    answer: { ...answer, ...about, ...(client === undefined ? {} : { client }) },
    isLive: question === undefined || live !== undefined,
  };
}

function eventStatus(source: StatusSource, workspace: Workspace, request: StatusRequest): Promise<EventStatus> {
  switch (request.by) {
    case 'event':
      return byEvent(source, workspace, request.event);
    case 'reference':
      return byReference(source, workspace, request);
    default:
      return bySession(source, workspace, request);
  }
}

function liveMembers(question: Question, live: LiveAnswer | undefined): LiveStatusAnswer {
  if (question === undefined) return { session: { active: false } };
  if (live === undefined) return {};
  const until = live.blockedUntilMs;
  const client =
    until === undefined ? { blocked: false } : { blocked: true, blockedUntil: new Date(until).toISOString() };
  return { session: { active: live.active }, client };
}

async function byEvent(source: StatusSource, workspace: Workspace, id: string): Promise<EventStatus> {
  const at = eventIdentity(id, workspace);
  if (at === undefined) throw unknownEvent();
  const found = await source.rows.find(workspace.id, at);
  if (found !== undefined) return ofRow(source, workspace, found);
  const [record] = await source.log.read(workspace.id, at.offset, 1);
  if (record === undefined || record.offset !== at.offset || record.epoch !== at.epoch || !isEventKind(record.kind))
    throw unknownEvent();
  const keys = await source.subjects.bySubject(workspace, subjectsIn([record]));
  const event = openEventRecord(workspace, record, keys)?.event;
  if (event === undefined) throw unknownEvent();
  const subject = clientOf(event) === undefined ? undefined : record.subject;
  const session = sessionRef(workspace.secrets.index, sessionOf(event) ?? '');
  return {
    answer: pendingAnswer(eventId(at, workspace)),
    question: subject === undefined ? undefined : { subject, session, channelId: event.channelId },
  };
}

async function byReference(
  source: StatusSource,
  workspace: Workspace,
  { user, reference }: { readonly user: string; readonly reference: string },
): Promise<EventStatus> {
  const { index } = workspace.secrets;
  const found = await source.rows.find(workspace.id, {
    client: blindIndex(index, user),
    reference: entityIndex(index, 'reference', reference),
  });
  if (found === undefined)
    throw new Problem('thing.unknown', 'This user has no decided or waiting operation with this reference here.');
  return ofRow(source, workspace, found);
}

async function bySession(
  { subjects }: StatusSource,
  workspace: Workspace,
  { user, session, channelId }: Extract<StatusRequest, { by: 'session' }>,
): Promise<EventStatus> {
  const subject = await subjects.find(workspace, user);
  if (subject === undefined) throw new Problem('thing.unknown', 'This user has sent no event to this workspace.');
  return { answer: {}, question: { subject, session: sessionRef(workspace.secrets.index, session), channelId } };
}

/** The same text for every id that is not of this workspace. */
function unknownEvent(): Problem {
  return new Problem('thing.unknown', 'There is no such event in this workspace, or it is no longer kept.');
}

async function ofRow(source: StatusSource, workspace: Workspace, { asked, decided }: FoundEvent): Promise<EventStatus> {
  const id = eventId(asked, workspace);
  const { status, subject, channel_id: channelId } = decided;
  if (status === 'repeat' || status === 'unreadable') throw unknownEvent();
  const question =
    subject === null
      ? undefined
      : { subject, session: shortRef(decided.session_index), channelId: channelId ?? undefined };
  if (status !== 'decided') return { answer: pendingAnswer(id), question };
  const answer = decidedAnswer(source, workspace, { asked, decided });
  return { answer: answer.then((found) => found ?? pendingAnswer(id)), question };
}

/** `undefined` if it is damaged: an incomplete answer could look like an approval. @throws Problem if it was erased */
async function decidedAnswer(
  { pool, subjects }: StatusSource,
  workspace: Workspace,
  { asked, decided }: FoundEvent,
): Promise<StatusAnswer | undefined> {
  const hasFired = decided.detail !== null || decided.fired.length > 0;
  const hasActed = hasFired || decided.held;
  const keys = hasActed ? await subjects.bySubject(workspace, subjectsIn([decided])) : noKeys;
  if (hasActed && keyAmong(keys, workspace, decided.subject) === undefined) throw unknownEvent();
  const detail = hasFired ? openDecision(workspace, decided, keys) : undefined;
  if (hasFired && detail === undefined) return undefined;
  const actions = hasActed ? await readActions(pool, workspace, { offset: decided.offset, keys }) : [];
  const hold = decided.held
    ? (await answeredHolds(pool, workspace.id, [decided.offset])).get(decided.offset)
    : undefined;
  const live = (detail?.fired ?? []).filter(({ mode }) => mode === 'live');
  const fired = live.filter(({ suppressed }) => suppressed === undefined || suppressed === 'hold');
  const capped = actions.filter(({ state }) => state === 'capped');
  return {
    event: eventId(asked, workspace),
    status: 'decided',
    ...(asked.offset === decided.offset ? {} : { repeatOf: eventId(decided, workspace) }),
    fired: fired.map(({ reason, name }) => ({ reason, name })),
    suppressed: [
      ...live.flatMap(suppressionsOf),
      ...capped.map(({ reason, action }) => ({ reason, why: 'cap' as const, action })),
    ],
    actions,
    ...(hold === undefined ? {} : { hold }),
    ...(decided.matched === null ? {} : { session: sessionAnswer(decided.matched, decided.mismatch) }),
  };
}

function pendingAnswer(event: string): StatusAnswer {
  return { event, status: 'pending', fired: [], suppressed: [], actions: [] };
}

interface ActionRow {
  readonly id: string;
  readonly reason: number;
  readonly action: number;
  readonly subject: string | null;
  readonly payload: Buffer;
  readonly state: ActionState;
  readonly finished_at: Date | null;
}

/** All actions of an event in every state, in the order in which they were decided. */
async function readActions(
  pool: StatusSource['pool'],
  workspace: Workspace,
  { offset, keys }: { readonly offset: number; readonly keys: ReadonlyMap<string, Buffer> },
): Promise<readonly StatusAction[]> {
  const found = await pool.query<ActionRow>({
    name: 'status_actions',
    text: `select id, reason, action, subject, payload, state, finished_at
             from action where workspace_id = $1 and "offset" = $2 order by seq`,
    values: [workspace.id, offset],
  });
  return found.rows.map((row) => {
    const message = openMessage(workspace, row, keys);
    return {
      action: row.action,
      reason: row.reason,
      ...(message === undefined ? {} : { message }),
      webhookId: row.id,
      state: shownState(row.state),
      ...(row.finished_at === null ? {} : { finishedAt: row.finished_at.toISOString() }),
    };
  });
}

const noKeys: ReadonlyMap<string, Buffer> = new Map();
