import { decodeActionPayload, type NumberedAttempt, shownState, type StoredAction } from '@ringfence/delivery';
import { type AttemptTranscript, openTranscript } from '../../deliver/attempt-transcript.ts';
import { openUndamaged, SealError } from '../../platform/secrets/seal.ts';
import { clientPlace, keyAmong, keyOf, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { eventId } from '../../records/event-id.ts';
import type { PrintedAction, PrintedAttempt } from './action-schema.ts';

type Deps = { readonly subjects: Pick<SubjectKeys, 'bySubject'> };

/** Prints actions in their order; personal members are absent once the client was erased. */
export async function printActions(
  deps: Deps,
  workspace: Workspace,
  actions: readonly StoredAction[],
): Promise<readonly PrintedAction[]> {
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(actions));
  return actions.map((action) => printOne(workspace, action, keyAmong(keys, workspace, action.subject)));
}

export async function printAction(deps: Deps, workspace: Workspace, action: StoredAction): Promise<PrintedAction> {
  return (await printActions(deps, workspace, [action]))[0]!;
}

type Payload = Pick<PrintedAction, 'client' | 'session' | 'message' | 'erased'>;

function printOne(workspace: Workspace, action: StoredAction, key: Buffer | undefined): PrintedAction {
  const queued = action.state === 'due' || action.state === 'waiting';
  return {
    ...printRequested(workspace, action, key),
    state: shownState(action.state),
    attempts: action.attempts,
    ...(queued && action.dueAtMs !== undefined ? { dueAt: new Date(action.dueAtMs).toISOString() } : {}),
    ...(action.finishedAtMs === undefined ? {} : { finishedAt: new Date(action.finishedAtMs).toISOString() }),
  };
}

type Requested = Pick<
  StoredAction,
  | 'id'
  | 'epoch'
  | 'offset'
  | 'reason'
  | 'action'
  | 'channelId'
  | 'subject'
  | 'payload'
  | 'format'
  | 'decidedAtMs'
  | 'expiresAtMs'
>;

/** What was requested: the members that never change. @param key `undefined` when its client was erased */
export function printRequested(
  workspace: Workspace,
  action: Requested,
  key: Buffer | undefined,
): Omit<PrintedAction, 'state' | 'attempts' | 'dueAt' | 'finishedAt'> {
  return {
    id: action.id,
    event: eventId(action, workspace),
    reason: action.reason,
    action: action.action,
    channelId: action.channelId,
    ...openPayload(workspace, action, key),
    format: action.format,
    decidedAt: new Date(action.decidedAtMs).toISOString(),
    expiresAt: new Date(action.expiresAtMs).toISOString(),
  };
}

function openPayload(workspace: Workspace, { id, payload, subject }: Requested, key: Buffer | undefined): Payload {
  if (key === undefined || payload.length === 0) return { erased: true };
  const opened = openUndamaged(key, payload, clientPlace('action', { workspaceId: workspace.id, subject }, id));
  if (opened === undefined) return {};
  const { client, session, message } = decodeActionPayload(opened);
  return { client, session, message };
}

/** Prints one POST of an action; the transcript is absent once the client was erased. */
export async function printAttempt(
  deps: Deps,
  of: { readonly workspace: Workspace; readonly action: StoredAction },
  attempt: NumberedAttempt,
): Promise<PrintedAttempt> {
  const { number, startedAtMs, durationMs, result, reason, status } = attempt;
  return {
    number,
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs,
    result,
    ...(reason === undefined ? {} : { reason }),
    ...(status === undefined ? {} : { status }),
    ...(await transcriptOf(deps, of, attempt)),
  };
}

async function transcriptOf(
  deps: Deps,
  { workspace, action }: { readonly workspace: Workspace; readonly action: StoredAction },
  { number, detail }: NumberedAttempt,
): Promise<AttemptTranscript> {
  const { id, subject } = action;
  const key = await keyOf(deps, workspace, subject);
  if (key === undefined) return {};
  try {
    return openTranscript(detail, { workspace, subject, key, action: id, number });
  } catch (error) {
    if (error instanceof SealError) return {};
    throw error;
  }
}
