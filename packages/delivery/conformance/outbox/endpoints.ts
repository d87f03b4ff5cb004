import { expect, it } from 'vitest';
import { disableAfterMs, probeEveryMs } from '../../src/breaker.ts';
import { allPlaces, executed, failed, newAction, otherWorkspaceId, workspaceId } from '../action-fixture.ts';
import { at, type Both, offsets, type OutboxHarness } from './outbox-harness.ts';

/** How a failing endpoint is treated. */
export function endpoints(harness: OutboxHarness): void {
  /** After ten failures the breaker of the first workspace is open. */
  async function opened(): Promise<Both> {
    const outbox = await harness.open();
    await outbox.setTargets([{ workspaceId, target: 'first' }]);
    const given = Array.from({ length: 12 }, (_, offset) => newAction(offset));
    await outbox.insert([...given, newAction(50, { workspaceId: otherWorkspaceId })]);
    const leases = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 10 }], at(0));
    const { breakers } = await outbox.complete(
      leases.map((lease) => failed(lease, at(1_000), at(0))),
      at(0),
    );
    expect(breakers.map(({ before, after }) => [before.state, after.state])).toEqual([['closed', 'open']]);
    return outbox;
  }

  it('receives nothing more while its breaker is open; other endpoints do', async () => {
    const outbox = await opened();
    expect(offsets(await outbox.lease(allPlaces, at(5_000)))).toEqual([50]);
  });

  it('receives one probe every 30 s, an urgent action if there is one', async () => {
    const outbox = await opened();
    await outbox.insert([newAction(20, { action: 1 })]);
    const due = probeEveryMs;
    expect(await outbox.leaseProbes([workspaceId], at(due - 1))).toEqual([]);
    const probes = await Promise.all([1, 2, 3].map(() => outbox.leaseProbes([workspaceId, otherWorkspaceId], at(due))));
    expect(probes.flat().map(({ offset, probe }) => [offset, probe])).toEqual([[20, true]]);
    await outbox.complete(
      probes.flat().map((lease) => failed(lease, at(3 * due), at(due + 100))),
      at(due + 100),
    );
    expect(await outbox.leaseProbes([workspaceId], at(2 * due - 1))).toEqual([]);
    expect(offsets(await outbox.leaseProbes([workspaceId], at(2 * due)))).toEqual([10]);
  });

  it('is probed, and its answer closes the breaker, after a clock that ran ahead was set back', async () => {
    const outbox = await opened();
    const setBack = -3_600_000;
    await outbox.insert([newAction(60, { dueAtMs: at(setBack) })]);
    const [probe] = await outbox.leaseProbes([workspaceId], at(setBack));
    expect(probe).toMatchObject({ probe: true });
    expect(await outbox.leaseProbes([workspaceId], at(setBack + probeEveryMs - 1))).toEqual([]);
    const health = { kind: 'answered', startedAtMs: at(setBack), endedAtMs: at(setBack + 5) } as const;
    await outbox.complete([{ ...executed(probe!), health }], at(setBack + 5));
    expect(await outbox.endpoint(workspaceId)).toMatchObject({ state: 'closed' });
  });

  it('receives no probe while paused, and its probe time does not move when nothing is due', async () => {
    const outbox = await opened();
    await outbox.pause({ kind: 'all' }, at(0));
    expect(await outbox.leaseProbes([workspaceId], at(probeEveryMs))).toEqual([]);
    await outbox.resume({ kind: 'all' });
    expect(await outbox.leaseProbes([workspaceId], at(probeEveryMs))).toHaveLength(1);
  });

  it('receives everything that waited once a probe is answered: nothing was dropped', async () => {
    const outbox = await opened();
    const [probe] = await outbox.leaseProbes([workspaceId], at(probeEveryMs));
    if (probe === undefined) throw new Error('a probe is due');
    const health = { kind: 'answered', startedAtMs: at(probeEveryMs), endedAtMs: at(probeEveryMs + 5) } as const;
    await outbox.complete([{ ...executed(probe), health }], at(probeEveryMs + 5));
    expect(await outbox.endpoint(workspaceId)).toMatchObject({ state: 'closed', failures: 0 });
    const rest = await outbox.lease(allPlaces, at(probeEveryMs + 6));
    expect(rest.filter((lease) => lease.workspaceId === workspaceId)).toHaveLength(11);
  });

  it('keeps its breaker state after a crash', async ({ skip }) => {
    const outbox = await opened();
    if (harness.reopen === undefined) {
      skip('this outbox is in memory only');
      return;
    }
    const before = await outbox.endpoint(workspaceId);
    const after = await (await harness.reopen()).endpoint(workspaceId);
    expect(after).toEqual(before);
    expect(after).toMatchObject({ state: 'open', failures: 10, failingSinceMs: at(0), probeAtMs: at(probeEveryMs) });
  });

  it('keeps its window between calls: failures of several completions add up', async () => {
    const outbox = await harness.open();
    await outbox.insert(Array.from({ length: 10 }, (_, offset) => newAction(offset)));
    const leases = await outbox.lease(allPlaces, at(0));
    for (const lease of leases) await outbox.complete([failed(lease, at(1_000), at(0))], at(0));
    expect((await outbox.endpoint(workspaceId)).state).toBe('open');
  });

  it('is disabled after failing for days until a person enables it; waiting actions are still there', async () => {
    const outbox = await opened();
    const place = [{ workspaceId, urgent: 0, ordinary: 20 }];
    const [probe] = await outbox.leaseProbes([workspaceId], at(probeEveryMs));
    if (probe === undefined) throw new Error('a probe is due');
    await outbox.complete([failed(probe, at(5_000), at(disableAfterMs))], at(probeEveryMs + 5));
    expect((await outbox.endpoint(workspaceId)).state).toBe('disabled');
    expect(await outbox.lease(place, at(600_000))).toEqual([]);
    expect(await outbox.leaseProbes([workspaceId], at(600_000))).toEqual([]);
    await outbox.enableEndpoint(workspaceId);
    expect(await outbox.lease(place, at(600_000))).toHaveLength(12);
  });

  it('is reset when its address changes, but not when the same address is set again', async () => {
    const outbox = await opened();
    await outbox.setTargets([{ workspaceId, target: 'first' }]);
    expect((await outbox.endpoint(workspaceId)).state).toBe('open');
    await outbox.setTargets([{ workspaceId, target: 'second' }]);
    expect((await outbox.endpoint(workspaceId)).state).toBe('closed');
    expect(offsets(await outbox.lease(allPlaces, at(1_000)))).toHaveLength(13);
  });
}
