import { expect, it } from 'vitest';
import type { LeasedAction } from '../../src/action.ts';
import { type Attempt, leaseMs } from '../../src/outbox.ts';
import { allPlaces, attempt, executed, failed, newAction, otherWorkspaceId, workspaceId } from '../action-fixture.ts';
import { at, type Both, ids, type OutboxHarness, states } from './outbox-harness.ts';

/** What an attempt records. */
export function completing(harness: OutboxHarness): void {
  it('keeps every attempt, numbered, with the resulting state', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const [first] = await outbox.lease(allPlaces, at(0));
    if (first !== undefined) await outbox.complete([failed(first, at(5_000))], at(100));
    expect(await outbox.find(workspaceId, newAction(1).id)).toMatchObject({ state: 'due', dueAtMs: at(5_000) });
    const [second] = await outbox.lease(allPlaces, at(5_000));
    expect(second).toMatchObject({ attempts: 1, round: 1, token: 2 });
    if (second !== undefined) await outbox.complete([executed(second)], at(5_100));
    expect(await outbox.find(workspaceId, newAction(1).id)).toMatchObject({
      state: 'executed',
      attempts: 2,
      finishedAtMs: at(5_100),
    });
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toEqual([
      { ...attempt, number: 1, result: 'failed', reason: 'timeout', status: undefined },
      { ...attempt, number: 2 },
    ]);
    expect(await outbox.attempts(otherWorkspaceId, newAction(1).id)).toEqual([]);
  });

  it('counts answers with code 0 of the current round separately, for their own schedule', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const turn = async (result: Attempt['result'], state: 'due' | 'dead' = 'due'): Promise<unknown> => {
      const [lease] = await outbox.lease(allPlaces, at(0));
      const next = state === 'due' ? { state, dueAtMs: at(0) } : { state };
      await outbox.complete([{ ...executed(lease!), attempt: { ...attempt, result }, next }], at(0));
      return [lease!.round, lease!.roundNotExecuted];
    };
    expect(await turn('failed')).toEqual([0, 0]);
    expect(await turn('notExecuted')).toEqual([1, 0]);
    expect(await turn('failed')).toEqual([2, 1]);
    expect(await turn('notExecuted', 'dead')).toEqual([3, 1]);
    await outbox.redeliver({ workspaceId, ids: [newAction(1).id] }, at(0));
    expect(await turn('notExecuted')).toEqual([0, 0]);
    expect(await turn('failed')).toEqual([1, 1]);
  });

  it('changes nothing for a zombie whose lease was taken over', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const zombie = await outbox.lease(allPlaces, at(0));
    const [heir] = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 1 }], at(leaseMs));
    const ends = zombie.map((lease) => failed(lease, at(90_000)));
    const late = await outbox.complete(ends, at(leaseMs + 1));
    expect(ids(late.accepted)).toEqual([newAction(2).id]); // the second lease was not taken over
    expect(await states(outbox)).toEqual(['1 leased', '2 due']);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toEqual([]);
    if (heir === undefined) throw new Error('the lost lease is due');
    expect((await outbox.complete([executed(heir)], at(leaseMs + 2))).accepted).toHaveLength(1);
    expect((await outbox.complete([executed(heir)], at(leaseMs + 3))).accepted).toEqual([]);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toHaveLength(1);
  });

  it('records a completion once when one call contains it twice', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const [lease] = await outbox.lease(allPlaces, at(0));
    const { accepted } = await outbox.complete([executed(lease!), executed(lease!)], at(1));
    expect(accepted).toHaveLength(1);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toHaveLength(1);
  });
}

/** One process may hold two leases on one action, one of them lost. */
export function sameProcessTwice(harness: OutboxHarness): void {
  const twice = async (outbox: Both): Promise<readonly [LeasedAction, LeasedAction]> => {
    await outbox.insert([newAction(1)]);
    const [lost] = await outbox.lease(allPlaces, at(0));
    const [held] = await outbox.lease(allPlaces, at(leaseMs));
    if (lost === undefined || held === undefined) throw new Error('due twice');
    return [lost, held];
  };

  it('distinguishes the two leases of a process that stalled and leased again, even within one call', async () => {
    const outbox = await harness.open();
    const [lost, held] = await twice(outbox);
    const { accepted } = await outbox.complete([failed(lost, at(80_000)), failed(held, at(90_000))], at(leaseMs));
    expect(accepted.map(({ token }) => token)).toEqual([2]);
    expect(await outbox.find(workspaceId, newAction(1).id)).toMatchObject({ state: 'due', dueAtMs: at(90_000) });
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toMatchObject([{ result: 'failed' }]);
  });

  it('records both completions of one call when the client executed the action under the lost lease', async () => {
    const outbox = await harness.open();
    const [lost, held] = await twice(outbox);
    const { accepted } = await outbox.complete([executed(lost), failed(held, at(90_000))], at(leaseMs));
    expect(accepted.map(({ token }) => token)).toEqual([2, 1]);
    expect(await states(outbox)).toEqual(['1 executed']);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toMatchObject([
      { number: 1, result: 'failed' },
      { number: 2, result: 'executed' },
    ]);
  });
}
