import { expect, it } from 'vitest';
import { leaseMs } from '../../src/outbox.ts';
import { allPlaces, inOneSession, newAction } from '../action-fixture.ts';
import { at, type OutboxHarness, states } from './outbox-harness.ts';

/** Actions that are too late. */
export function expiry(harness: OutboxHarness): void {
  it('ends actions that are too late, due or waiting, and reports it', async () => {
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

  it('does not expire a leased action before its lease has ended', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { expiresAtMs: at(10) })]);
    await outbox.lease(allPlaces, at(5));
    expect(await outbox.tidy(at(20))).toMatchObject({ expired: 0 });
    expect(await outbox.tidy(at(5 + leaseMs))).toMatchObject({ expired: 1 });
  });
}
