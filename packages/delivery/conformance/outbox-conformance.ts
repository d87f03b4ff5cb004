import { describe, expect, it } from 'vitest';
import { probeEveryMs } from '../src/breaker.ts';
import type { Deliveries } from '../src/deliveries.ts';
import { leaseMs, type Outbox, outcomeClaimMs } from '../src/outbox.ts';
import {
  allPlaces,
  attempt,
  executed,
  failed,
  inOneSession,
  newAction,
  otherWorkspaceId,
  startMs,
  workspaceId,
} from './action-fixture.ts';

export interface OutboxHarness {
  /** An empty outbox. */
  open(): Promise<Outbox & Deliveries>;
  /** The outbox as it is found after a crash; left out where a crash leaves nothing. */
  reopen?(): Promise<Outbox & Deliveries>;
}

type Both = Outbox & Deliveries;

const ids = (actions: readonly { readonly id: string }[]): readonly string[] => actions.map(({ id }) => id);
const offsets = (actions: readonly { readonly offset: number }[]): readonly number[] =>
  actions.map(({ offset }) => offset);
const byFirst = (a: readonly unknown[], b: readonly unknown[]): number => Number(a[0]) - Number(b[0]);
const at = (afterMs: number): number => startMs + afterMs;
const states = async (outbox: Both): Promise<readonly string[]> =>
  (await outbox.list({ workspaceId }, 200)).map(({ offset, state }) => `${offset} ${state}`).toReversed();

/** The promises of `Outbox`. Call once per implementation, from that implementation's test. */
export function outboxConformance(name: string, harness: OutboxHarness): void {
  describe(`Outbox: ${name}`, () => {
    describe('inserting', () => {
      inserting(harness);
    });
    describe('leasing', () => {
      leasing(harness);
    });
    describe('the order of a session', () => {
      sessionOrder(harness);
    });
    describe('completing', () => {
      completing(harness);
      sameProcessTwice(harness);
    });
    describe('the endpoint', () => {
      endpoints(harness);
    });
    describe('expiry', () => {
      expiry(harness);
    });
    describe('outcomes', () => {
      outcomes(harness);
    });
    describe('removing', () => {
      removing(harness);
    });
  });
}

function inserting(harness: OutboxHarness): void {
  it('is idempotent: the same action again changes nothing', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const [lease] = await outbox.lease(allPlaces, at(0));
    if (lease !== undefined) await outbox.complete([executed(lease)], at(1));
    await outbox.insert([newAction(1), newAction(2), newAction(3), newAction(3)]);
    expect(await states(outbox)).toEqual(['1 executed', '2 leased', '3 due']);
  });

  it('seals anew without becoming another action', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    await outbox.insert([newAction(1, { payload: Buffer.from('sealed again'), expiresAtMs: at(1) })]);
    expect((await outbox.lease(allPlaces, at(5)))[0]?.payload).toEqual(Buffer.from('sealed 1'));
  });

  it('refuses another content under the same id, with all that came with it', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const other = newAction(1, { contentHash: Buffer.from('something else') });
    await expect(outbox.insert([newAction(2), other])).rejects.toThrow('another content');
    expect(await states(outbox)).toEqual(['1 due']);
  });

  it('keeps what is not to be sent out of the queue', async () => {
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

  it('calls those who listen, with the workspace', async () => {
    const outbox = await harness.open();
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = outbox.onDue(resolve);
    // The listener's connection may come up later than the first insert.
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
      skip('this outbox is memory only');
      return;
    }
    expect(await states(await harness.reopen())).toEqual(['1 due']);
  });
}

function leasing(harness: OutboxHarness): void {
  it('gives everything that was put in', async () => {
    const outbox = await harness.open();
    const { sessionIndex, contentHash, state, ...rest } = newAction(7);
    await outbox.insert([{ ...rest, sessionIndex, contentHash, state }]);
    const [lease] = await outbox.lease(allPlaces, at(0));
    expect(lease).toEqual({ ...rest, attempts: 0, round: 0, token: 1, probe: false });
  });

  it('gives each action to one caller only', async () => {
    const outbox = await harness.open();
    await outbox.insert(Array.from({ length: 50 }, (_, offset) => newAction(offset)));
    const places = [{ workspaceId, urgent: 0, ordinary: 20 }];
    const leases = await Promise.all([0, 1, 2, 3].map(() => outbox.lease(places, at(0))));
    expect(leases.flat()).toHaveLength(50);
    expect(new Set(ids(leases.flat())).size).toBe(50);
  });

  it('gives the longest due first, and nothing before its time', async () => {
    const outbox = await harness.open();
    await outbox.insert([1, 2, 3].map((offset) => newAction(offset, { decidedAtMs: at(10 - offset) })));
    const places = [{ workspaceId, urgent: 9, ordinary: 1 }];
    expect(await outbox.lease(places, at(6))).toEqual([]);
    expect(offsets(await outbox.lease(places, at(10)))).toEqual([3]);
    expect(offsets(await outbox.lease(places, at(10)))).toEqual([2]);
  });

  it('gives each workspace its own places, and urgent actions places of their own', async () => {
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

  it('gives nothing of workspaces that were not asked for', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    expect(await outbox.lease([], at(0))).toEqual([]);
    expect(await outbox.lease([{ workspaceId: otherWorkspaceId, urgent: 1, ordinary: 1 }], at(0))).toEqual([]);
    expect(await outbox.lease([{ workspaceId, urgent: 1, ordinary: 0 }], at(0))).toEqual([]);
  });

  it('gives an action again when its lease has ended, with a higher token', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    expect((await outbox.lease(allPlaces, at(0)))[0]?.token).toBe(1);
    expect(await outbox.lease(allPlaces, at(leaseMs - 1))).toEqual([]);
    expect((await outbox.lease(allPlaces, at(leaseMs)))[0]?.token).toBe(2);
  });

  it('takes leases back unused', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const [one, two] = await outbox.lease(allPlaces, at(0));
    if (one === undefined || two === undefined) throw new Error('both are due');
    await outbox.giveBack([one, { ...two, token: 99 }], at(5));
    expect(await outbox.lease(allPlaces, at(4))).toEqual([]);
    expect((await outbox.lease(allPlaces, at(5))).map(({ offset, attempts }) => [offset, attempts])).toEqual([[1, 0]]);
  });

  it('gives nothing that has expired', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1, { expiresAtMs: at(10) })]);
    expect(await outbox.lease(allPlaces, at(10))).toEqual([]);
  });

  it('stops at once when everything, or the workspace, is paused', async () => {
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

function sessionOrder(harness: OutboxHarness): void {
  it('lets each first attempt wait for the one before, however it ended', async () => {
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

  it('does not bind retries: the first in line may fail for hours', async () => {
    const outbox = await harness.open();
    await outbox.insert(inOneSession([1]));
    const [first] = await outbox.lease(allPlaces, at(0));
    if (first !== undefined) await outbox.complete([failed(first, at(60_000))], at(1));
    await outbox.insert(inOneSession([2]));
    expect(offsets(await outbox.lease(allPlaces, at(2)))).toEqual([2]);
  });

  it('lets actions 1 and 2 wait for nobody, and others wait for them', async () => {
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

  it('is kept per session and per workspace, and by nobody without a session', async () => {
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

  it('does not wait for what is held, observed or cannot be addressed', async () => {
    const outbox = await harness.open();
    const given = (['held', 'observed', 'notAddressable'] as const).map((state, i) => inOneSession([i], { state }));
    await outbox.insert([...given.flat(), ...inOneSession([9])]);
    expect(offsets(await outbox.lease(allPlaces, at(0)))).toEqual([9]);
  });

  it('goes on when the one before expires or its client is erased', async () => {
    const outbox = await harness.open();
    await outbox.insert([...inOneSession([1], { expiresAtMs: at(10) }), ...inOneSession([2, 3])]);
    await outbox.tidy(at(10));
    const [second] = await outbox.lease(allPlaces, at(10));
    expect(second?.offset).toBe(2);
    if (second === undefined) return;
    await outbox.complete([{ ...executed(second), attempt: undefined, next: { state: 'erased' } }], at(11));
    expect(await states(outbox)).toEqual(['1 expired', '2 erased', '3 due']);
  });

  it('waits while a lease is lost and taken again', async () => {
    const outbox = await harness.open();
    await outbox.insert(inOneSession([1, 2]));
    await outbox.lease(allPlaces, at(0));
    await outbox.tidy(at(leaseMs));
    expect(offsets(await outbox.lease(allPlaces, at(leaseMs)))).toEqual([1]);
  });

  it('has no inversion among many sessions whose attempts fail or not', async () => {
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

function completing(harness: OutboxHarness): void {
  it('keeps every attempt, numbered, with the state that it led to', async () => {
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

  it('changes nothing for a zombie, whose lease another has taken', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const zombie = await outbox.lease(allPlaces, at(0));
    const [heir] = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 1 }], at(leaseMs));
    const late = await outbox.complete(zombie.map(executed), at(leaseMs + 1));
    expect(ids(late.accepted)).toEqual([newAction(2).id]); // nobody else had taken the second
    expect(await states(outbox)).toEqual(['1 leased', '2 executed']);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toEqual([]);
    if (heir === undefined) throw new Error('the lost lease is due');
    expect((await outbox.complete([executed(heir)], at(leaseMs + 2))).accepted).toHaveLength(1);
    expect((await outbox.complete([executed(heir)], at(leaseMs + 3))).accepted).toEqual([]);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toHaveLength(1);
  });
}

function sameProcessTwice(harness: OutboxHarness): void {
  it('tells the two leases of a process that stalled and leased again apart, also in one call', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const [lost] = await outbox.lease(allPlaces, at(0));
    const [held] = await outbox.lease(allPlaces, at(leaseMs));
    if (lost === undefined || held === undefined) throw new Error('due twice');
    const { accepted } = await outbox.complete([executed(lost), failed(held, at(90_000))], at(leaseMs));
    expect(accepted.map(({ token }) => token)).toEqual([2]);
    expect(await states(outbox)).toEqual(['1 due']);
    expect(await outbox.attempts(workspaceId, newAction(1).id)).toMatchObject([{ result: 'failed' }]);
  });
}

function endpoints(harness: OutboxHarness): void {
  /** Ten failures: the breaker of the first workspace is open. */
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

  it('gets nothing more while its breaker is open; others do', async () => {
    const outbox = await opened();
    expect(offsets(await outbox.lease(allPlaces, at(5_000)))).toEqual([50]);
  });

  it('gets one probe every 30 s, an urgent one if there is any', async () => {
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

  it('gets no probe while paused, and takes none when nothing is due', async () => {
    const outbox = await opened();
    await outbox.pause({ kind: 'all' }, at(0));
    expect(await outbox.leaseProbes([workspaceId], at(probeEveryMs))).toEqual([]);
    await outbox.resume({ kind: 'all' });
    expect(await outbox.leaseProbes([workspaceId], at(probeEveryMs))).toHaveLength(1);
  });

  it('gets everything that waited once a probe is answered: nothing was dropped', async () => {
    const outbox = await opened();
    const [probe] = await outbox.leaseProbes([workspaceId], at(probeEveryMs));
    if (probe === undefined) throw new Error('a probe is due');
    const health = { kind: 'answered', startedAtMs: at(probeEveryMs), endedAtMs: at(probeEveryMs + 5) } as const;
    await outbox.complete([{ ...executed(probe), health }], at(probeEveryMs + 5));
    expect(await outbox.endpoint(workspaceId)).toMatchObject({ state: 'closed', failures: 0 });
    const rest = await outbox.lease(allPlaces, at(probeEveryMs + 6));
    expect(rest.filter((lease) => lease.workspaceId === workspaceId)).toHaveLength(11);
  });

  it('is remembered after a crash', async ({ skip }) => {
    const outbox = await opened();
    if (harness.reopen === undefined) {
      skip('this outbox is memory only');
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

  it('that says 410 is disabled until a person enables it; what waited is still there', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1), newAction(2)]);
    const [lease] = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 1 }], at(0));
    if (lease === undefined) throw new Error('one is due');
    const gone = { kind: 'gone', startedAtMs: at(0), endedAtMs: at(1) } as const;
    await outbox.complete([{ ...failed(lease, at(5_000)), health: gone }], at(1));
    expect(await outbox.lease(allPlaces, at(600_000))).toEqual([]);
    expect(await outbox.leaseProbes([workspaceId], at(600_000))).toEqual([]);
    await outbox.enableEndpoint(workspaceId);
    expect(offsets(await outbox.lease(allPlaces, at(600_000)))).toEqual([1, 2]);
  });

  it('is a new one when the address changes, and the same when it is said again', async () => {
    const outbox = await opened();
    await outbox.setTargets([{ workspaceId, target: 'first' }]);
    expect((await outbox.endpoint(workspaceId)).state).toBe('open');
    await outbox.setTargets([{ workspaceId, target: 'second' }]);
    expect((await outbox.endpoint(workspaceId)).state).toBe('closed');
    expect(offsets(await outbox.lease(allPlaces, at(1_000)))).toHaveLength(13);
  });
}

function expiry(harness: OutboxHarness): void {
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

function outcomes(harness: OutboxHarness): void {
  it('are told once for every action that ends: executed, notExecuted, failed, expired', async () => {
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
    expect(await outbox.claimOutcomes(at(outcomeClaimMs - 1))).toEqual([]); // the first caller has them still
    const found = await outbox.claimOutcomes(at(outcomeClaimMs));
    expect(offsets(found)).toEqual([2]);
    expect(await outbox.claimOutcomes(at(outcomeClaimMs))).toEqual([]);
    await outbox.outcomesAppended(found);
    expect(await outbox.claimOutcomes(at(9 * outcomeClaimMs))).toEqual([]);
  });

  it('of a second round are not taken for those of the first', async () => {
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

function removing(harness: OutboxHarness): void {
  it('takes what was finished long ago with its attempts, the longest first, of one workspace', async () => {
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

  it('never takes what is to be sent, held, or not told to the engine yet', async () => {
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

  it('counts an action that was sent again from its second end', async () => {
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
