import { expect, it } from 'vitest';
import type { LeasedAction } from '../../src/action.ts';
import { type Completion, leaseMs, outcomeClaimMs } from '../../src/outbox.ts';
import { allPlaces, attempt, executed, failed, inOneSession, newAction, workspaceId } from '../action-fixture.ts';
import { at, type Both, type OutboxHarness, states } from './outbox-harness.ts';

const { id } = newAction(1);
const tooLateMs = 2 * leaseMs;

/** An execution by the client is recorded even if the sender reports it after its lease was lost. */
export function executedLate(harness: OutboxHarness): void {
  async function leased(outbox: Both, change: Parameters<typeof newAction>[1] = {}): Promise<LeasedAction> {
    await outbox.insert([newAction(1, change)]);
    const [lease] = await outbox.lease(allPlaces, at(0));
    if (lease === undefined) throw new Error('the action is due');
    return lease;
  }

  /** Another process leases the action and completes it with `end`. */
  async function takenOver(outbox: Both, end: (heir: LeasedAction) => Completion): Promise<void> {
    const [heir] = await outbox.lease(allPlaces, at(leaseMs));
    if (heir === undefined) throw new Error('the lost lease is due');
    await outbox.complete([end(heir)], at(leaseMs));
  }

  const unsent = (heir: LeasedAction, state: 'dead' | 'erased'): Completion => ({
    ...executed(heir),
    attempt: undefined,
    next: { state },
  });

  it.each<[string, (outbox: Both) => Promise<unknown>]>([
    ['leased by another process', (outbox) => outbox.lease(allPlaces, at(leaseMs))],
    ['due again', (outbox) => takenOver(outbox, (heir) => failed(heir, at(900_000)))],
    ['dead', (outbox) => takenOver(outbox, (heir) => unsent(heir, 'dead'))],
    ['erased', (outbox) => takenOver(outbox, (heir) => unsent(heir, 'erased'))],
    ['notExecuted', (outbox) => takenOver(outbox, (heir) => ({ ...executed(heir), next: { state: 'notExecuted' } }))],
  ])('is recorded as executed although it is %s, and reported once', async (_, meanwhile) => {
    const outbox = await harness.open();
    const lease = await leased(outbox);
    await meanwhile(outbox);
    const before = await outbox.attempts(workspaceId, id);
    const late = await outbox.complete([executed(lease)], at(tooLateMs));
    expect(late.accepted).toEqual([executed(lease)]);
    expect(late.outcomes).toMatchObject([{ id, offset: 1, result: 'executed' }]);
    expect(await outbox.find(workspaceId, id)).toMatchObject({
      state: 'executed',
      attempts: before.length + 1,
      finishedAtMs: at(tooLateMs),
    });
    expect(await outbox.attempts(workspaceId, id)).toEqual([...before, { ...attempt, number: before.length + 1 }]);
    expect(await outbox.complete([executed(lease)], at(tooLateMs))).toEqual({
      accepted: [],
      outcomes: [],
      breakers: [],
    });
    expect(await outbox.lease(allPlaces, at(3_000_000))).toEqual([]);
    await outbox.outcomesAppended(late.outcomes);
    expect(await outbox.claimOutcomes(at(tooLateMs + outcomeClaimMs))).toEqual([]);
  });

  it('is recorded as executed although it expired, even if that outcome was claimed or appended before', async () => {
    for (const isTold of [false, true]) {
      const outbox = await harness.open();
      const lease = await leased(outbox, { expiresAtMs: at(10) });
      const { outcomes: expired } = await outbox.tidy(at(leaseMs));
      expect(expired).toMatchObject([{ id, result: 'expired' }]);
      if (isTold) await outbox.outcomesAppended(expired);
      const { outcomes } = await outbox.complete([executed(lease)], at(leaseMs + 1));
      expect(outcomes).toMatchObject([{ id, result: 'executed' }]);
      expect(await states(outbox)).toEqual(['1 executed']);
      // Confirming the old outcome (expired) must not confirm the new one.
      await outbox.outcomesAppended(expired);
      expect(await outbox.claimOutcomes(at(leaseMs + 1 + outcomeClaimMs))).toEqual(outcomes);
      expect(await outbox.redeliver({ workspaceId, ids: [id] }, at(tooLateMs))).toBe(0);
    }
  });

  it('is recorded for the first of two calls that report the execution', async () => {
    const outbox = await harness.open();
    const lost = await leased(outbox);
    const [heir] = await outbox.lease(allPlaces, at(leaseMs));
    if (heir === undefined) throw new Error('the lost lease is due');
    expect((await outbox.complete([executed(lost)], at(tooLateMs))).accepted).toHaveLength(1);
    // The other process completes its own attempt, or gives its lease back: neither counts any more.
    for (const end of [executed(heir), failed(heir, at(90_000))]) {
      expect((await outbox.complete([end], at(tooLateMs))).accepted).toEqual([]);
    }
    await outbox.giveBack([heir], at(tooLateMs));
    expect(await states(outbox)).toEqual(['1 executed']);
    expect(await outbox.attempts(workspaceId, id)).toHaveLength(1);
  });

  it('is recorded once when two lost leases report it in one call', async () => {
    const outbox = await harness.open();
    const first = await leased(outbox);
    const [second] = await outbox.lease(allPlaces, at(leaseMs));
    await outbox.lease(allPlaces, at(tooLateMs));
    const { accepted, outcomes } = await outbox.complete([executed(first), executed(second!)], at(tooLateMs));
    expect([accepted.map(({ token }) => token), outcomes.length]).toEqual([[1], 1]);
    expect(await outbox.attempts(workspaceId, id)).toHaveLength(1);
  });

  it('lets the next action of its session proceed', async () => {
    const outbox = await harness.open();
    await outbox.insert(inOneSession([1], { expiresAtMs: at(10) }));
    const [lease] = await outbox.lease(allPlaces, at(0));
    await outbox.tidy(at(leaseMs));
    await outbox.redeliver({ workspaceId, ids: [id] }, at(leaseMs));
    await outbox.insert(inOneSession([2]));
    expect(await states(outbox)).toEqual(['1 due', '2 waiting']);
    await outbox.complete([executed(lease!)], at(leaseMs));
    expect(await states(outbox)).toEqual(['1 executed', '2 due']);
  });

  it('does not change the state of the endpoint', async () => {
    const outbox = await harness.open();
    await outbox.insert(Array.from({ length: 11 }, (_, offset) => newAction(offset)));
    const leases = await outbox.lease(allPlaces, at(0));
    await outbox.lease([{ workspaceId, urgent: 0, ordinary: 1 }], at(leaseMs));
    await outbox.complete(
      leases.slice(1).map((lease) => failed(lease, at(900_000), at(leaseMs))),
      at(leaseMs),
    );
    const open = await outbox.endpoint(workspaceId);
    expect(open.state).toBe('open');
    const health = { kind: 'answered', startedAtMs: at(tooLateMs), endedAtMs: at(tooLateMs) } as const;
    const late = await outbox.complete([{ ...executed(leases[0]!), health }], at(tooLateMs));
    expect([late.accepted.length, late.breakers]).toEqual([1, []]);
    expect(await outbox.endpoint(workspaceId)).toEqual(open);
  });

  it("is never an action that was not sent: it still awaits a person's decision, or was dropped", async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { state: 'held' }), newAction(2, { state: 'held' })]);
    await outbox.drop({ workspaceId, ids: [newAction(2).id] }, at(0));
    const never = [1, 2].map((offset) => executed({ id: newAction(offset).id, token: 1 }));
    expect((await outbox.complete(never, at(1))).accepted).toEqual([]);
    expect(await states(outbox)).toEqual(['1 held', '2 dropped']);
  });
}
