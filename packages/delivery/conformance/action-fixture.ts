import { actionId } from '../src/identity.ts';
import type { NewAction } from '../src/action.ts';
import type { Attempt, Completion } from '../src/outbox.ts';

/** An arbitrary instant; times in the suite are milliseconds after it. */
export const startMs = 1_795_000_000_000;
export const workspaceId = 'aaaaaaaa';
export const otherWorkspaceId = 'bbbbbbbb';

/** A due action 6 of one session, decided at `startMs`, expiring an hour later. `offset` makes it unique. */
export function newAction(offset: number, change: Partial<NewAction> = {}): NewAction {
  const workspace = change.workspaceId ?? workspaceId;
  return {
    id: actionId({ workspaceId: workspace, epoch: 1, offset, reason: 101, position: 0 }),
    workspaceId: workspace,
    epoch: 1,
    offset,
    reason: 101,
    position: 0,
    action: 6,
    subject: 'subject1subject1',
    channelId: 1,
    payload: Buffer.from(`sealed ${offset}`),
    format: 'text',
    decidedAtMs: startMs,
    sessionIndex: Buffer.from(`session of ${offset}`),
    contentHash: Buffer.from(`content of ${offset}`),
    state: 'due',
    dueAtMs: change.decidedAtMs ?? startMs,
    expiresAtMs: startMs + 3_600_000,
    ...change,
  };
}

/** Several actions of one session, in the order of their decisions. */
export function inOneSession(offsets: readonly number[], change: Partial<NewAction> = {}): readonly NewAction[] {
  return offsets.map((offset) => newAction(offset, { sessionIndex: Buffer.from('one session'), ...change }));
}

export const attempt: Attempt = {
  startedAtMs: startMs + 10,
  durationMs: 42,
  result: 'executed',
  reason: undefined,
  status: 200,
  detail: Buffer.from('sealed transcript'),
};

export const failedAttempt: Attempt = { ...attempt, result: 'failed', reason: 'timeout', status: undefined };

type Lease = { readonly id: string; readonly token: number };

/** Ends the lease with the action executed. */
export function executed({ id, token }: Lease): Completion {
  return { id, token, attempt, health: undefined, next: { state: 'executed' } };
}

/** Ends the lease with a failure that is retried at `dueAtMs` and counts against the endpoint. */
export function failed({ id, token }: Lease, dueAtMs: number, endedAtMs = startMs): Completion {
  const health = { kind: 'failed', startedAtMs: endedAtMs, endedAtMs } as const;
  return { id, token, attempt: failedAttempt, health, next: { state: 'due', dueAtMs } };
}

/** Enough places for all actions of both workspaces. */
export const allPlaces = [
  { workspaceId, urgent: 100, ordinary: 100 },
  { workspaceId: otherWorkspaceId, urgent: 100, ordinary: 100 },
];
