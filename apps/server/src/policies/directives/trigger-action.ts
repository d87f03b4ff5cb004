import { clientOf, type Event, Problem, sessionOf } from '@ringfence/contract';
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
import { clientContext } from '../../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** Places in a rule's `then` are below: what a person asks for never takes the name of what a rule asks for. */
const byHandFrom = 1_000;
/** Of one event and rule: more is a mistake of a program. */
const byHandMax = 100;

export interface Triggered {
  readonly event: Event;
  readonly identity: { readonly epoch: number; readonly offset: number };
  readonly subject: string | undefined;
  /** Of the client; without one there is nobody to act on. */
  readonly key: Buffer;
  /** The rule in whose name the bank is asked. */
  readonly reason: number;
  readonly action: number;
  readonly message: string;
  readonly nowMs: number;
}

/**
 * Asks the bank for an action because a person wants it, in the session of an event. It goes the way of every other action;
 * the engine does not learn that it was executed, because no decision of its own asked for it.
 *
 * @returns the action's id
 * @throws Problem `state.conflict` in a workspace that observes, for an event without a client, and beyond 100
 */
export async function triggerAction(pool: Pool, workspace: Workspace, of: Triggered): Promise<string> {
  if (workspace.settings.deliver === 'observe') {
    throw new Problem('state.conflict', 'This workspace observes: nothing is sent to the bank.');
  }
  const client = clientOf(of.event);
  if (client === undefined)
    throw new Problem('state.conflict', 'The event named no client: there is nobody to act on.');
  return inTransaction(pool, async (transaction) => {
    const row = actionOf(workspace, of, { client, position: await nextPosition(transaction, workspace.id, of) });
    await insertActions(transaction, [row]);
    return row.id;
  });
}

/** One person after the other: two who ask at the same moment get two actions. */
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
    throw new Problem('state.conflict', `${byHandMax} actions were asked for by hand of this event and rule already.`);
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
    id: actionId({ workspaceId, ...identity, reason, position }),
    workspaceId,
    reason,
    position,
    sessionIndex: session === '' ? undefined : blindIndex(secrets.index, session, 'session'),
    contentHash: hashActionContent(secrets.index, { ...content, ...payload }),
    payload: seal(key, encodeActionPayload(payload), clientContext('action', workspaceId, subject)),
    dueAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs(action, settings.webhook?.expiryMinutes),
  };
}
