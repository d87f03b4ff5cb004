import { clientOf, type Event, Problem, sessionOf, unlessMasked } from '@ringfence/contract';
import {
  actionId,
  encodeActionPayload,
  hashActionContent,
  insertActions,
  lifetimeMs,
  type NewAction,
} from '@ringfence/delivery';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { clientPlace } from '../../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** Positions in a rule's `then` are lower, so ids of manual actions never collide with ids of a rule's actions. */
const byHandFrom = 1_000;
/** The most manual actions per event and rule: more would be a program's mistake. */
const byHandMax = 100;

export interface Triggered {
  readonly event: Event;
  readonly identity: { readonly epoch: number; readonly offset: number };
  readonly subject: string | undefined;
  /** The client's key. */
  readonly key: Buffer;
  /** The rule that the action names as its reason. */
  readonly reason: number;
  readonly action: number;
  readonly message: string;
  readonly nowMs: number;
}

/**
 * Sends an action that a person requests, in the session of an event. It is delivered like any other action. The engine
 * does not learn that it was executed, because none of its decisions requested it.
 *
 * @returns the action's id
 * @throws Problem `state.conflict` if the workspace only observes, the event has no client, or there are 100 already
 */
export async function triggerAction(pool: Pool, workspace: Workspace, of: Triggered): Promise<string> {
  if (workspace.settings.deliver === 'observe') {
    throw new Problem('state.conflict', 'This workspace only observes: it sends nothing to the bank.');
  }
  const client = clientOf(of.event);
  if (client === undefined) throw new Problem('state.conflict', 'The event names no client to act on.');
  return inTransaction(pool, async (transaction) => {
    const row = actionOf(workspace, of, { client, position: await nextPosition(transaction, workspace.id, of) });
    // One writer at a time, like the engine's batches: actions of a workspace become visible in the order of their numbers.
    await transaction.query(`select from engine_position where workspace_id = $1 for update`, [workspace.id]);
    await insertActions(transaction, [row]);
    return row.id;
  });
}

/** Serializes concurrent requests, so that each gets its own position. */
async function nextPosition(
  transaction: ClientBase,
  workspaceId: string,
  { identity: { offset }, reason }: Pick<Triggered, 'identity' | 'reason'>,
): Promise<number> {
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `trigger ${workspaceId} ${offset} ${reason}`,
  ]);
  const { rows } = await transaction.query<{ next: number }>(
    `select coalesce(max(position) + 1, ${byHandFrom}) as next from action
      where workspace_id = $1 and "offset" = $2 and reason = $3 and position >= ${byHandFrom}`,
    [workspaceId, offset, reason],
  );
  const { next } = rows[0]!;
  if (next >= byHandFrom + byHandMax) {
    throw new Problem(
      'state.conflict',
      `This event and rule already have ${byHandMax} manual actions, which is the maximum.`,
    );
  }
  return next;
}

function actionOf(
  { id: workspaceId, secrets, settings }: Workspace,
  { event, identity, subject, key, reason, action, message, nowMs }: Triggered,
  { client, position }: { readonly client: string; readonly position: number },
): NewAction {
  const session = sessionOf(event) ?? '';
  const payload = { client, session, message };
  const reference = event.kind === 'operation' ? unlessMasked(event.transaction?.reference) : undefined;
  const id = actionId({ workspaceId, ...identity, reason, position });
  const content = {
    action,
    channelId: event.channelId,
    subject,
    format: 'text' as const,
    state: 'due' as const,
    decidedAtMs: nowMs,
  };
  return {
    ...content,
    ...identity,
    id,
    workspaceId,
    reason,
    position,
    sessionIndex: session === '' ? undefined : blindIndex(secrets.index, session, 'session'),
    contentHash: hashActionContent(secrets.index, { ...content, ...payload }),
    payload: seal(
      key,
      encodeActionPayload({ ...payload, reference }),
      clientPlace('action', { workspaceId, subject }, id),
    ),
    dueAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs(action, settings.webhook?.expiryMinutes),
  };
}
