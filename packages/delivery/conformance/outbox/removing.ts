import { expect, it } from 'vitest';
import { outcomeClaimMs } from '../../src/outbox.ts';
import {
  allPlaces,
  executed,
  failed,
  inOneSession,
  newAction,
  otherWorkspaceId,
  workspaceId,
} from '../action-fixture.ts';
import { at, type OutboxHarness, states } from './outbox-harness.ts';

/** Removing finished actions. */
export function removing(harness: OutboxHarness): void {
  it('removes actions of one workspace that finished long ago with their attempts, oldest first', async () => {
    const outbox = await harness.open();
    await outbox.insert([1, 2, 3].map((offset) => newAction(offset)));
    await outbox.insert([newAction(4, { state: 'observed' }), newAction(5, { workspaceId: otherWorkspaceId })]);
    const leases = await outbox.lease(allPlaces, at(0));
    for (const [index, lease] of leases.entries()) {
      const { outcomes } = await outbox.complete([executed(lease)], at(30 - index));
      await outbox.outcomesAppended(outcomes);
    }
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(0), limit: 10 })).toBe(0);
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(30), limit: 2 })).toBe(2);
    expect(await states(outbox)).toEqual(['1 executed', '2 executed']);
    expect(await outbox.attempts(workspaceId, newAction(3).id)).toEqual([]);
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(30), limit: 2 })).toBe(1);
    expect(await states(outbox)).toEqual(['1 executed']);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toHaveLength(1);
    expect(await outbox.list({ workspaceId: otherWorkspaceId }, 10)).toHaveLength(1);
  });

  it('never removes what is to be sent, is held, or whose outcome is not yet in the log', async () => {
    const outbox = await harness.open();
    await outbox.insert([...inOneSession([1, 2]), newAction(3), newAction(4, { state: 'held' }), newAction(5)]);
    const leases = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 3 }], at(0));
    await outbox.complete(leases.filter(({ offset }) => offset === 5).map(executed), at(1));
    await outbox.complete(
      leases.filter(({ offset }) => offset === 3).map((one) => failed(one, at(9_000))),
      at(1),
    );
    expect(await states(outbox)).toEqual(['1 leased', '2 waiting', '3 due', '4 held', '5 executed']);
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(9_999_999), limit: 10 })).toBe(0);
    await outbox.outcomesAppended(await outbox.claimOutcomes(at(outcomeClaimMs + 1)));
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(9_999_999), limit: 10 })).toBe(1);
    expect(await states(outbox)).toEqual(['1 leased', '2 waiting', '3 due', '4 held']);
  });

  it('counts the age of a redelivered action from its second end', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { expiresAtMs: at(10) })]);
    await outbox.outcomesAppended((await outbox.tidy(at(10))).outcomes);
    await outbox.redeliver({ workspaceId, ids: [newAction(1).id] }, at(20));
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(15), limit: 10 })).toBe(0);
    await outbox.outcomesAppended((await outbox.tidy(at(30))).outcomes);
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(30), limit: 10 })).toBe(0);
    expect(await outbox.removeFinished({ workspaceId, beforeMs: at(31), limit: 10 })).toBe(1);
  });
}
