import { actionId, encodeActionPayload, hashActionContent, lifetimeMs, type NewAction } from '@ringfence/delivery';
import { seal } from '../../../src/platform/secrets/seal.ts';
import { clientPlace } from '../../../src/tenancy/subjects/client-seal.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';

export const startMs = 1_795_226_400_000; // 2026-11-21T02:00:00Z

export interface ActionWish {
  readonly offset: number;
  readonly action?: number;
  readonly reason?: number;
  readonly session?: string;
  readonly subject?: string | undefined;
  readonly state?: NewAction['state'];
  readonly decidedAtMs?: number;
  readonly lifetimeMs?: number;
}

/** An action as the engine host writes it, sealed under the client's key, which is derived from the subject. */
export function sealedAction(workspace: Workspace, wish: ActionWish): NewAction {
  const {
    offset,
    action = 6,
    reason = 101,
    session = `session ${offset}`,
    state = 'due',
    decidedAtMs = startMs,
  } = wish;
  const subject = 'subject' in wish ? wish.subject : 'subject1';
  const identity = { workspaceId: workspace.id, epoch: 1, offset, reason, position: 0 };
  const payload = { client: 'ana', session, message: `message ${offset}` };
  const content = { action, channelId: 1, subject, format: 'text', state, decidedAtMs, ...payload } as const;
  const key = subject === undefined ? workspace.secrets.data : subjectKey(subject);
  return {
    ...identity,
    id: actionId(identity),
    action,
    subject,
    channelId: 1,
    format: 'text',
    state,
    decidedAtMs,
    payload: seal(
      key,
      encodeActionPayload(payload),
      clientPlace('action', { workspaceId: workspace.id, subject }, actionId(identity)),
    ),
    sessionIndex: session === '' ? undefined : Buffer.from(session),
    contentHash: hashActionContent(workspace.secrets.index, content),
    dueAtMs: decidedAtMs,
    expiresAtMs: decidedAtMs + (wish.lifetimeMs ?? lifetimeMs(action)),
  };
}

export function subjectKey(subject: string): Buffer {
  return Buffer.from(subject.padEnd(32, '.'));
}
