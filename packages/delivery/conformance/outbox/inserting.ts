import { expect, it } from 'vitest';
import { allPlaces, executed, newAction, workspaceId } from '../action-fixture.ts';
import { at, offsets, type OutboxHarness, states } from './outbox-harness.ts';

/** Inserting actions. */
export function inserting(harness: OutboxHarness): void {
  it('is idempotent: inserting the same action again changes nothing', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const [lease] = await outbox.lease(allPlaces, at(0));
    if (lease !== undefined) await outbox.complete([executed(lease)], at(1));
    await outbox.insert([newAction(1), newAction(2), newAction(3), newAction(3)]);
    expect(await states(outbox)).toEqual(['1 executed', '2 leased', '3 due']);
  });

  it('accepts the same action with a newly encrypted payload', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    await outbox.insert([newAction(1, { payload: Buffer.from('sealed again'), expiresAtMs: at(1) })]);
    expect((await outbox.lease(allPlaces, at(5)))[0]?.payload).toEqual(Buffer.from('sealed 1'));
  });

  it('rejects different content under the same id, with the whole batch', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const other = newAction(1, { contentHash: Buffer.from('something else') });
    await expect(outbox.insert([newAction(2), other])).rejects.toThrow('different content');
    expect(await states(outbox)).toEqual(['1 due']);
  });

  it('sends immediately what was decided by a clock that runs ahead', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { decidedAtMs: at(3_600_000), dueAtMs: at(0), expiresAtMs: at(7_200_000) })]);
    expect(offsets(await outbox.lease(allPlaces, at(0)))).toEqual([1]);
  });

  it('keeps actions that must not be sent out of the queue', async () => {
    const outbox = await harness.open();
    const given = (['held', 'observed', 'notAddressable', 'due'] as const).map((state, i) => newAction(i, { state }));
    await outbox.insert(given);
    expect(offsets(await outbox.lease(allPlaces, at(0)))).toEqual([3]);
    expect(await outbox.queued()).toEqual(
      new Map([
        ['held', 1],
        ['leased', 1],
      ]),
    );
  });

  it('calls the listeners with the workspace', async () => {
    const outbox = await harness.open();
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = outbox.onDue(resolve);
    // The listener's connection may be established later than the first insert.
    await expect
      .poll(async () => {
        await outbox.insert([newAction(Math.floor(performance.now() * 1_000))]);
        return Promise.race([promise, Promise.resolve(undefined)]);
      })
      .toBe(workspaceId);
    stop();
  });

  it('survives a crash', async ({ skip }) => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    if (harness.reopen === undefined) {
      skip('this outbox is in memory only');
      return;
    }
    expect(await states(await harness.reopen())).toEqual(['1 due']);
  });
}
