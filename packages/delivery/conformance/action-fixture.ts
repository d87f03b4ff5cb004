import { actionId } from '../src/identity.ts';
import type { NewAction } from '../src/action.ts';
import type { Attempt, Completion } from '../src/outbox.ts';

/** Some instant; everything in the suite is told in milliseconds after it. */
export const startMs = 1_795_000_000_000;
export const workspaceId = 'aaaaaaaa';
export const otherWorkspaceId = 'bbbbbbbb';

/** A due action 6 of one session, decided at `startMs` and good for an hour; `offset` names it. */
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

/** Several actions of one session, the first decided first. */
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

/** The lease ends with the action executed. */
export function executed({ id, token }: Lease): Completion {
  return { id, token, attempt, health: undefined, next: { state: 'executed' } };
}

/** The lease ends with a failure that is tried again at `dueAtMs`, and speaks ill of the endpoint. */
export function failed({ id, token }: Lease, dueAtMs: number, endedAtMs = startMs): Completion {
  const health = { kind: 'failed', startedAtMs: endedAtMs, endedAtMs } as const;
  return { id, token, attempt: failedAttempt, health, next: { state: 'due', dueAtMs } };
}

/** Places enough for everything of both workspaces. */
export const allPlaces = [
  { workspaceId, urgent: 100, ordinary: 100 },
  { workspaceId: otherWorkspaceId, urgent: 100, ordinary: 100 },
];
