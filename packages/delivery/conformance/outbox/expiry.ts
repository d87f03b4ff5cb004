import { expect, it } from 'vitest';
import { leaseMs } from '../../src/outbox.ts';
import { allPlaces, inOneSession, newAction } from '../action-fixture.ts';
import { at, type OutboxHarness, states } from './outbox-harness.ts';

/** What is too late. */
export function expiry(harness: OutboxHarness): void {
  it('ends what is too late, due or waiting, and says so', async () => {
    const outbox = await harness.open();
    await outbox.insert([
      ...inOneSession([1, 2], { expiresAtMs: at(10) }),
      newAction(3),
      newAction(4, { state: 'held', expiresAtMs: at(10) }),
    ]);
    expect(await outbox.tidy(at(9))).toMatchObject({ expired: 0 });
    const { expired, outcomes } = await outbox.tidy(at(10));
    expect(expired).toBe(2);
    expect(outcomes.map(({ offset, result }) => [offset, result])).toEqual([
      [1, 'expired'],
      [2, 'expired'],
    ]);
    expect(await states(outbox)).toEqual(['1 expired', '2 expired', '3 due', '4 held']);
  });

  it('leaves an action to the process that sends it, until its lease has ended as well', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { expiresAtMs: at(10) })]);
    await outbox.lease(allPlaces, at(5));
    expect(await outbox.tidy(at(20))).toMatchObject({ expired: 0 });
    expect(await outbox.tidy(at(5 + leaseMs))).toMatchObject({ expired: 1 });
  });
}
