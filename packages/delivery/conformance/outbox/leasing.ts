import { expect, it } from 'vitest';
import { leaseMs } from '../../src/outbox.ts';
import { allPlaces, newAction, otherWorkspaceId, workspaceId } from '../action-fixture.ts';
import { at, ids, offsets, type OutboxHarness } from './outbox-harness.ts';

/** Which caller leases which action, and when. */
export function leasing(harness: OutboxHarness): void {
  it('leases everything that was inserted', async () => {
    const outbox = await harness.open();
    const { sessionIndex, contentHash, state, dueAtMs, ...rest } = newAction(7);
    await outbox.insert([{ ...rest, sessionIndex, contentHash, state, dueAtMs }]);
    const [lease] = await outbox.lease(allPlaces, at(0));
    expect(lease).toEqual({ ...rest, attempts: 0, round: 0, roundNotExecuted: 0, token: 1, probe: false });
  });

  it('leases each action to one caller only', async () => {
    const outbox = await harness.open();
    await outbox.insert(Array.from({ length: 50 }, (_, offset) => newAction(offset)));
    const places = [{ workspaceId, urgent: 0, ordinary: 20 }];
    const leases = await Promise.all([0, 1, 2, 3].map(() => outbox.lease(places, at(0))));
    expect(leases.flat()).toHaveLength(50);
    expect(new Set(ids(leases.flat())).size).toBe(50);
  });

  it('leases the longest due first, and nothing before its time', async () => {
    const outbox = await harness.open();
    await outbox.insert([1, 2, 3].map((offset) => newAction(offset, { decidedAtMs: at(10 - offset) })));
    const places = [{ workspaceId, urgent: 9, ordinary: 1 }];
    expect(await outbox.lease(places, at(6))).toEqual([]);
    expect(offsets(await outbox.lease(places, at(10)))).toEqual([3]);
    expect(offsets(await outbox.lease(places, at(10)))).toEqual([2]);
  });

  it('has separate places for each workspace and for urgent actions', async () => {
    const outbox = await harness.open();
    await outbox.insert([
      ...[1, 2, 3].map((offset) => newAction(offset)),
      ...[4, 5, 6].map((offset) => newAction(offset, { action: 2 })),
      ...[7, 8, 9].map((offset) => newAction(offset, { workspaceId: otherWorkspaceId })),
    ]);
    const places = [
      { workspaceId, urgent: 1, ordinary: 2 },
      { workspaceId: otherWorkspaceId, urgent: 5, ordinary: 1 },
    ];
    const leased = await outbox.lease(places, at(0));
    expect(new Set(offsets(leased))).toEqual(new Set([1, 2, 4, 7]));
    expect(offsets(leased)[0]).toBe(4); // the urgent one before the others of its workspace
  });

  it('leases nothing of workspaces that were not requested', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    expect(await outbox.lease([], at(0))).toEqual([]);
    expect(await outbox.lease([{ workspaceId: otherWorkspaceId, urgent: 1, ordinary: 1 }], at(0))).toEqual([]);
    expect(await outbox.lease([{ workspaceId, urgent: 1, ordinary: 0 }], at(0))).toEqual([]);
  });

  it('leases an action again when its lease has ended, with a higher token', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    expect((await outbox.lease(allPlaces, at(0)))[0]?.token).toBe(1);
    expect(await outbox.lease(allPlaces, at(leaseMs - 1))).toEqual([]);
    expect((await outbox.lease(allPlaces, at(leaseMs)))[0]?.token).toBe(2);
  });

  it('accepts unused leases back', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const [one, two] = await outbox.lease(allPlaces, at(0));
    if (one === undefined || two === undefined) throw new Error('both are due');
    await outbox.giveBack([one, { ...two, token: 99 }], at(5));
    expect(await outbox.lease(allPlaces, at(4))).toEqual([]);
    expect((await outbox.lease(allPlaces, at(5))).map(({ offset, attempts }) => [offset, attempts])).toEqual([[1, 0]]);
  });

  it('leases nothing that has expired', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { expiresAtMs: at(10) })]);
    expect(await outbox.lease(allPlaces, at(10))).toEqual([]);
  });

  it('stops immediately when everything, or the workspace, is paused', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2, { workspaceId: otherWorkspaceId })]);
    await outbox.pause({ kind: 'all' }, at(0));
    await outbox.pause({ kind: 'workspace', workspaceId }, at(1));
    expect(await outbox.lease(allPlaces, at(2))).toEqual([]);
    await outbox.resume({ kind: 'all' });
    expect(await outbox.pauses()).toEqual([{ scope: { kind: 'workspace', workspaceId }, sinceMs: at(1) }]);
    expect(offsets(await outbox.lease(allPlaces, at(3)))).toEqual([2]);
    await outbox.resume({ kind: 'workspace', workspaceId });
    expect(offsets(await outbox.lease(allPlaces, at(4)))).toEqual([1]);
  });
}
