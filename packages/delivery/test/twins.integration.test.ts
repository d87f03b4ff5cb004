import { unreachable } from '@ringfence/contract';
import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAction, otherWorkspaceId, startMs, workspaceId } from '../conformance/action-fixture.ts';
import type { LeasedAction, NewAction } from '../src/action.ts';
import type { Deliveries, PauseScope } from '../src/deliveries.ts';
import { MemoryOutbox } from '../src/memory-outbox.ts';
import type { Completion, EndpointTarget, Outbox } from '../src/outbox.ts';
import { PostgresOutbox } from '../src/postgres-outbox.ts';
import { deliverySteps } from '../src/schema.ts';
import { freshDatabase } from './support/postgres.ts';

/**
 * Checks that the memory and the PostgreSQL outbox behave the same beyond the examples of the suite: applies random
 * histories to both, one call after the other, and compares every result and every row.
 */
type Both = Outbox & Deliveries;

type Move =
  | { readonly kind: 'insert'; readonly actions: readonly NewAction[] }
  | { readonly kind: 'lease'; readonly urgent: number; readonly ordinary: number }
  | { readonly kind: 'probe' | 'tidy' | 'claim' | 'redeliver' | 'again' | 'release' }
  | { readonly kind: 'pause' | 'resume'; readonly scope: PauseScope }
  | { readonly kind: 'target'; readonly targets: readonly EndpointTarget[] }
  | { readonly kind: 'complete'; readonly ends: readonly number[] }
  | { readonly kind: 'wait'; readonly forMs: number };

const action = fc
  .record({
    offset: fc.nat({ max: 40 }),
    session: fc.nat({ max: 4 }),
    subject: fc.constantFrom('subject1subject1', 'subject1subject1', 'subject2subject2', undefined),
    channelId: fc.constantFrom(1, 1, 2),
    action: fc.constantFrom(1, 2, 3, 6),
    state: fc.constantFrom('due', 'due', 'due', 'held', 'observed'),
    lifetimeMs: fc.constantFrom(5_000, 60_000, 3_600_000),
    workspace: fc.constantFrom(workspaceId, workspaceId, otherWorkspaceId),
  })
  .map(({ offset, session, lifetimeMs, workspace, ...rest }) =>
    newAction(offset, {
      ...rest,
      workspaceId: workspace,
      sessionIndex: session === 0 ? undefined : Buffer.from(`session ${session}`),
      expiresAtMs: startMs + lifetimeMs,
    }),
  );

const workspace = fc.constantFrom(workspaceId, otherWorkspaceId);

const scope: fc.Arbitrary<PauseScope> = fc.oneof(
  fc.constant({ kind: 'all' as const }),
  fc.record({ kind: fc.constant('workspace' as const), workspaceId: workspace }),
);

/** Some unchanged targets, and some of endpoints that have failed. */
const targets = fc.uniqueArray(fc.record({ workspaceId: workspace, target: fc.constantFrom('first', 'second') }), {
  selector: ({ workspaceId }) => workspaceId,
  maxLength: 2,
});

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('insert' as const), actions: fc.array(action, { maxLength: 8 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('lease' as const),
      urgent: fc.nat({ max: 3 }),
      ordinary: fc.nat({ max: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('complete' as const),
      ends: fc.array(fc.nat({ max: 9 }), { maxLength: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(...(['probe', 'tidy', 'claim', 'redeliver', 'again', 'release'] as const)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), scope }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('target' as const), targets }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), forMs: fc.nat({ max: 20_000 }) }) },
);

/** The completion of a lease, chosen by a digit: mostly failures, to reach retries, breakers and dead actions. */
function end({ id, token }: LeasedAction, digit: number, nowMs: number): Completion {
  const health = { kind: digit < 2 ? 'answered' : 'failed', startedAtMs: nowMs, endedAtMs: nowMs } as const;
  const attempt = {
    startedAtMs: nowMs,
    durationMs: 1,
    status: 500,
    detail: Buffer.from('x'),
    reason: undefined,
  } as const;
  if (digit === 0)
    return { id, token, health, attempt: { ...attempt, result: 'executed' }, next: { state: 'executed' } };
  if (digit === 1) {
    return { id, token, health, attempt: { ...attempt, result: 'notExecuted' }, next: { state: 'notExecuted' } };
  }
  const failure = { ...attempt, result: 'failed' } as const;
  if (digit === 2) return { id, token, health, attempt: failure, next: { state: 'dead' } };
  if (digit === 4) {
    const declined = { ...attempt, result: 'notExecuted' } as const;
    return { id, token, health, attempt: declined, next: { state: 'due', dueAtMs: nowMs + 3_000 } };
  }
  if (digit === 3) return { id, token, health: undefined, attempt: undefined, next: { state: 'erased' } };
  return { id, token, health, attempt: failure, next: { state: 'due', dueAtMs: nowMs + 3_000 } };
}

/** Applies a history and returns everything observable. */
async function play(outbox: Both, moves: readonly Move[]): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const workspaces = [workspaceId, otherWorkspaceId];
  const everything = { filter: { workspaceId } };
  let leases: LeasedAction[] = [];
  let nowMs = startMs;
  const turn = async (one: Move): Promise<unknown> => {
    switch (one.kind) {
      case 'insert':
        return outbox.insert(one.actions).catch((error: unknown) => String(error));
      case 'lease': {
        const { urgent, ordinary } = one;
        const found = await outbox.lease(
          workspaces.map((workspaceId) => ({ workspaceId, urgent, ordinary })),
          nowMs,
        );
        leases = [...found, ...leases]; // newest first: old ones become zombies
        return found;
      }
      case 'probe': {
        const found = await outbox.leaseProbes(workspaces, nowMs);
        leases = [...leases, ...found];
        return found;
      }
      case 'complete': {
        const ended = leases.splice(0, one.ends.length).map((lease, index) => end(lease, one.ends[index] ?? 0, nowMs));
        const { accepted, outcomes, breakers } = await outbox.complete(ended, nowMs);
        return [accepted, new Set(outcomes.map((outcome) => JSON.stringify(outcome))), new Set(breakers)];
      }
      case 'tidy': {
        const { expired, outcomes } = await outbox.tidy(nowMs);
        return [expired, new Set(outcomes.map(({ id }) => id))];
      }
      case 'claim':
        return new Set((await outbox.claimOutcomes(nowMs)).map(({ id, result }) => `${id} ${result}`));
      case 'redeliver':
        return outbox.redeliver(everything, nowMs);
      case 'again':
        return outbox.redeliver({ filter: { workspaceId, finishedToMs: nowMs } }, nowMs, ['executed', 'notExecuted']);
      case 'release':
        return outbox.release(everything, nowMs);
      case 'pause':
        await outbox.pause(one.scope, nowMs);
        return outbox.pauses();
      case 'resume':
        await outbox.resume(one.scope);
        return outbox.pauses();
      case 'target':
        await outbox.setTargets(one.targets);
        return Promise.all(workspaces.map((workspaceId) => outbox.endpoint(workspaceId)));
      case 'wait':
        nowMs += one.forMs;
        return nowMs;
      default:
        return unreachable(one);
    }
  };
  for (const one of moves) seen.push([one.kind, await turn(one)]);
  for (const workspace of workspaces) {
    const rows = await outbox.list({ workspaceId: workspace }, 200);
    seen.push(
      rows.map((row) => ({ ...row, sequence: 0 })),
      await outbox.endpoint(workspace),
      await outbox.queued(),
    );
  }
  return seen;
}

let pool: Pool;
beforeAll(async () => {
  pool = new Pool({ ...(await freshDatabase()).config, max: 4 });
  await pool.query(deliverySteps.join(''));
});
afterAll(() => pool.end());

describe('the two outboxes', () => {
  it('return the same for any history', async () => {
    const postgres = new PostgresOutbox(pool);
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
        await pool.query('truncate action, attempt, endpoint, delivery_pause');
        expect(await play(postgres, moves)).toEqual(await play(new MemoryOutbox(), moves));
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});
