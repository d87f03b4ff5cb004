import { expect, it } from 'vitest';
import type { NewAction } from '../../src/action.ts';
import { leaseMs } from '../../src/outbox.ts';
import {
  allPlaces,
  executed,
  failed,
  inOneSession,
  newAction,
  otherWorkspaceId,
  workspaceId,
} from '../action-fixture.ts';
import { at, offsets, type OutboxHarness, states } from './outbox-harness.ts';

/** First attempts of one session are made one after the other. */
export function sessionOrder(harness: OutboxHarness): void {
  it('lets each first attempt wait for the previous one, however that ended', async () => {
    const outbox = await harness.open();
    await outbox.insert(inOneSession([1, 2]));
    await outbox.insert(inOneSession([3]));
    expect(await states(outbox)).toEqual(['1 due', '2 waiting', '3 waiting']);
    const [first] = await outbox.lease(allPlaces, at(0));
    if (first === undefined) throw new Error('the first is due');
    expect(await outbox.lease(allPlaces, at(0))).toEqual([]);
    await outbox.complete([failed(first, at(5_000))], at(1));
    const [second] = await outbox.lease(allPlaces, at(1));
    expect(second?.offset).toBe(2);
    if (second !== undefined) await outbox.complete([executed(second)], at(2));
    expect(await states(outbox)).toEqual(['1 due', '2 executed', '3 due']);
  });

  it('does not apply to retries: the first in line may fail for hours', async () => {
    const outbox = await harness.open();
    await outbox.insert(inOneSession([1]));
    const [first] = await outbox.lease(allPlaces, at(0));
    if (first !== undefined) await outbox.complete([failed(first, at(60_000))], at(1));
    await outbox.insert(inOneSession([2]));
    expect(offsets(await outbox.lease(allPlaces, at(2)))).toEqual([2]);
  });

  it('does not delay actions 1 and 2, but other actions wait for them', async () => {
    const outbox = await harness.open();
    await outbox.insert([...inOneSession([1]), ...inOneSession([2], { action: 2 }), ...inOneSession([3, 4])]);
    expect(await states(outbox)).toEqual(['1 due', '2 due', '3 waiting', '4 waiting']);
    const leases = await outbox.lease(allPlaces, at(0));
    expect(offsets(leases)).toEqual([2, 1]);
    await outbox.complete(leases.slice(1).map(executed), at(1));
    expect((await states(outbox))[2]).toBe('3 waiting');
    await outbox.complete(leases.slice(0, 1).map(executed), at(1));
    expect((await states(outbox)).slice(2)).toEqual(['3 due', '4 waiting']);
  });

  it.each<[string, Partial<NewAction>]>([
    ['another client', { subject: 'subject2subject2' }],
    ['nobody', { subject: undefined }],
    ['another channel', { channelId: 2 }],
    ['another workspace', { workspaceId: otherWorkspaceId }],
  ])('does not extend to a session of %s that has the same id', async (_, change) => {
    const outbox = await harness.open();
    await outbox.insert([...inOneSession([1, 3]), ...inOneSession([2, 4], change)]);
    await outbox.insert([...inOneSession([5]), ...inOneSession([6], change)]);
    const turn = async (): Promise<readonly number[]> => {
      const leases = await outbox.lease(allPlaces, at(0));
      await outbox.complete(leases.map(executed), at(0));
      return offsets(leases);
    };
    expect([await turn(), await turn(), await turn()]).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  it('is kept per session and per workspace, and not without a session', async () => {
    const outbox = await harness.open();
    await outbox.insert([
      newAction(1),
      newAction(2),
      newAction(3, { sessionIndex: undefined }),
      newAction(4, { sessionIndex: undefined }),
      newAction(1, { workspaceId: otherWorkspaceId }),
    ]);
    expect(await outbox.lease(allPlaces, at(0))).toHaveLength(5);
  });

  it('does not wait for held, observed or not addressable actions', async () => {
    const outbox = await harness.open();
    const given = (['held', 'observed', 'notAddressable'] as const).map((state, i) => inOneSession([i], { state }));
    await outbox.insert([...given.flat(), ...inOneSession([9])]);
    expect(offsets(await outbox.lease(allPlaces, at(0)))).toEqual([9]);
  });

  it('continues when the previous action expires or its client is erased', async () => {
    const outbox = await harness.open();
    await outbox.insert([...inOneSession([1], { expiresAtMs: at(10) }), ...inOneSession([2, 3])]);
    await outbox.tidy(at(10));
    const [second] = await outbox.lease(allPlaces, at(10));
    expect(second?.offset).toBe(2);
    if (second === undefined) return;
    await outbox.complete([{ ...executed(second), attempt: undefined, next: { state: 'erased' } }], at(11));
    expect(await states(outbox)).toEqual(['1 expired', '2 erased', '3 due']);
  });

  it('waits while a lease is lost and taken over', async () => {
    const outbox = await harness.open();
    await outbox.insert(inOneSession([1, 2]));
    await outbox.lease(allPlaces, at(0));
    await outbox.tidy(at(leaseMs));
    expect(offsets(await outbox.lease(allPlaces, at(leaseMs)))).toEqual([1]);
  });

  it('has no inversion among many sessions with failing and successful attempts', async () => {
    const outbox = await harness.open();
    const given = Array.from({ length: 60 }, (_, offset) =>
      newAction(offset, { sessionIndex: Buffer.from(`s${offset % 7}`) }),
    );
    await outbox.insert(given.slice(0, 40));
    await outbox.insert(given.slice(40));
    const firsts: number[] = [];
    for (let round = 0; firsts.length < given.length && round < 100; round++) {
      const leases = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 5 }], at(round));
      firsts.push(...leases.filter(({ attempts }) => attempts === 0).map(({ offset }) => offset));
      const ends = leases.map((lease) => (lease.offset % 3 === 0 ? failed(lease, at(1_000)) : executed(lease)));
      await outbox.complete(
        ends.map((end) => ({ ...end, health: undefined })),
        at(round),
      );
    }
    expect(firsts).toHaveLength(given.length);
    for (let session = 0; session < 7; session++) {
      const order = firsts.filter((offset) => offset % 7 === session);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });
}
