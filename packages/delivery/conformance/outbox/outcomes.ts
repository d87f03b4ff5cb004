import { expect, it } from 'vitest';
import { outcomeClaimMs } from '../../src/outbox.ts';
import { allPlaces, executed, newAction, workspaceId } from '../action-fixture.ts';
import { at, offsets, type OutboxHarness } from './outbox-harness.ts';

const byFirst = (a: readonly unknown[], b: readonly unknown[]): number => Number(a[0]) - Number(b[0]);

/** The outcomes that the engine receives. */
export function outcomes(harness: OutboxHarness): void {
  it('are reported once for every action that ends: executed, notExecuted, failed, expired', async () => {
    const outbox = await harness.open();
    await outbox.insert([1, 2, 3, 4, 5].map((offset) => newAction(offset)));
    const leases = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 5 }], at(0));
    const ends = ['executed', 'notExecuted', 'dead', 'erased', 'due'] as const;
    const { outcomes } = await outbox.complete(
      leases.map((lease, index) => {
        const state = ends[index] ?? 'due';
        const next = state === 'due' ? { state, dueAtMs: at(9_000) } : { state };
        return { ...executed(lease), next };
      }),
      at(1),
    );
    expect(outcomes.map(({ offset, result }) => [offset, result]).toSorted(byFirst)).toEqual([
      [1, 'executed'],
      [2, 'notExecuted'],
      [3, 'failed'],
    ]);
    const { id, reason, position, action, subject } = newAction(1);
    expect(outcomes.find(({ offset }) => offset === 1)).toEqual({
      id,
      reason,
      position,
      action,
      subject,
      workspaceId,
      offset: 1,
      result: 'executed',
    });
  });

  it('are found again after a crash, until they are in the log', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const leases = await outbox.lease(allPlaces, at(0));
    const { outcomes } = await outbox.complete(leases.map(executed), at(0));
    await outbox.outcomesAppended(outcomes.filter(({ offset }) => offset === 1));
    expect(await outbox.claimOutcomes(at(outcomeClaimMs - 1))).toEqual([]); // still claimed by the first caller
    const found = await outbox.claimOutcomes(at(outcomeClaimMs));
    expect(offsets(found)).toEqual([2]);
    expect(await outbox.claimOutcomes(at(outcomeClaimMs))).toEqual([]);
    await outbox.outcomesAppended(found);
    expect(await outbox.claimOutcomes(at(9 * outcomeClaimMs))).toEqual([]);
  });

  it('of a second round are not confused with those of the first', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { expiresAtMs: at(10) })]);
    const { outcomes: first } = await outbox.tidy(at(10));
    await outbox.redeliver({ workspaceId, ids: [newAction(1).id] }, at(20));
    const leases = await outbox.lease(allPlaces, at(20));
    const { outcomes: second } = await outbox.complete(leases.map(executed), at(20));
    await outbox.outcomesAppended(first);
    expect(await outbox.claimOutcomes(at(20 + outcomeClaimMs))).toEqual(second);
  });
}
