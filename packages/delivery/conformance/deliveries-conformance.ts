import { describe, expect, it } from 'vitest';
import { allPlaces, executed, failed, newAction, otherWorkspaceId, workspaceId } from './action-fixture.ts';
import { listedMax } from '../src/deliveries.ts';
import { at, type Both, type OutboxHarness } from './outbox/outbox-harness.ts';

const id = (offset: number): string => newAction(offset).id;
const stateOf = async (outbox: Both, offset: number): Promise<string | undefined> =>
  (await outbox.find(workspaceId, id(offset)))?.state;

/** Tests the guarantees of `Deliveries`. Call once per implementation, together with `outboxConformance`. */
export function deliveriesConformance(name: string, harness: OutboxHarness): void {
  describe(`Deliveries: ${name}`, () => {
    describe('looking', () => {
      looking(harness);
    });
    describe('sending again', () => {
      redelivering(harness);
    });
    describe('held actions', () => {
      held(harness);
    });
  });
}

function looking(harness: OutboxHarness): void {
  it('finds an action only in its own workspace', async () => {
    const outbox = await harness.open();
    await outbox.insert([newAction(1)]);
    const { sessionIndex: _, contentHash: __, ...stored } = newAction(1);
    expect(await outbox.find(workspaceId, id(1))).toMatchObject({ ...stored, attempts: 0, finishedAtMs: undefined });
    expect(await outbox.find(otherWorkspaceId, id(1))).toBeUndefined();
    expect(await outbox.find(workspaceId, id(2))).toBeUndefined();
  });

  it('pages from the newest to the oldest, without gaps or repeats', async () => {
    const outbox = await harness.open();
    await outbox.insert(Array.from({ length: 25 }, (_, offset) => newAction(offset)));
    const seen: number[] = [];
    let before: number | undefined;
    for (let page = 0; page < 10; page++) {
      const found = await outbox.list({ workspaceId }, 10, before);
      seen.push(...found.map(({ offset }) => offset));
      before = found.at(-1)?.sequence;
      if (found.length < 10) break;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 24 - index));
  });

  it('lists at most a page of 200, plus one action that shows there is a next page', async () => {
    const outbox = await harness.open();
    await outbox.insert(Array.from({ length: 202 }, (_, offset) => newAction(offset)));
    expect(await outbox.list({ workspaceId }, 200)).toHaveLength(200);
    expect(await outbox.list({ workspaceId }, 201)).toHaveLength(201);
    expect(await outbox.list({ workspaceId }, 202)).toHaveLength(listedMax);
  });

  it('filters by state, client, session, event, rule and time, one or all', async () => {
    const outbox = await harness.open();
    await outbox.insert([
      newAction(1),
      newAction(2, { subject: undefined, state: 'held' }),
      newAction(3, { reason: 7, decidedAtMs: at(500) }),
      newAction(4, { workspaceId: otherWorkspaceId }),
    ]);
    const found = async (filter: object): Promise<readonly number[]> =>
      (await outbox.list({ workspaceId, ...filter }, 200)).map(({ offset }) => offset);
    expect(await found({})).toEqual([3, 2, 1]);
    expect(await found({ states: ['held', 'dead'] })).toEqual([2]);
    expect(await found({ subject: 'subject1subject1' })).toEqual([3, 1]);
    expect(await found({ sessionIndex: Buffer.from('session of 2') })).toEqual([2]);
    expect(await found({ offset: 3 })).toEqual([3]);
    expect(await found({ reason: 7 })).toEqual([3]);
    expect(await found({ fromMs: at(500) })).toEqual([3]);
    expect(await found({ toMs: at(500) })).toEqual([2, 1]);
    expect(await found({ states: ['due'], reason: 101, fromMs: at(0), toMs: at(1) })).toEqual([1]);
  });
}

function redelivering(harness: OutboxHarness): void {
  /** 1 executed, 2 notExecuted, 3 dead, 4 erased, 5 due for a retry, 6 leased, 7 observed, 8 held, 9 expired. */
  async function oneOfEach(): Promise<Both> {
    const outbox = await harness.open();
    await outbox.insert([
      ...[1, 2, 3, 4, 5, 6].map((offset) => newAction(offset)),
      newAction(7, { state: 'observed' }),
      newAction(8, { state: 'held' }),
      newAction(9, { decidedAtMs: at(1), expiresAtMs: at(10) }),
    ]);
    const leases = await outbox.lease(allPlaces, at(0));
    const ends = ['executed', 'notExecuted', 'dead', 'erased'] as const;
    await outbox.complete(
      leases.slice(0, 5).map((lease, index) => {
        const state = ends[index];
        return state === undefined ? failed(lease, at(90_000)) : { ...executed(lease), next: { state } };
      }),
      at(1),
    );
    await outbox.tidy(at(10));
    return outbox;
  }

  const everything = { filter: { workspaceId } };

  it('sends again, once, actions that ended without being executed; id and number of attempts stay', async () => {
    const outbox = await oneOfEach();
    expect(await outbox.redeliver(everything, at(1_000))).toBe(3);
    expect(await outbox.redeliver(everything, at(1_000))).toBe(0);
    const leases = await outbox.lease(allPlaces, at(1_000));
    expect(leases.map((lease) => [lease.id, lease.attempts, lease.round])).toEqual([
      [id(2), 1, 0],
      [id(3), 1, 0],
      [id(9), 0, 0],
    ]);
  });

  it('restores the original lifetime', async () => {
    const outbox = await oneOfEach();
    await outbox.redeliver(everything, at(1_000));
    expect(await outbox.find(workspaceId, id(9))).toMatchObject({ state: 'due', expiresAtMs: at(1_009) });
    expect(await outbox.find(workspaceId, id(3))).toMatchObject({
      expiresAtMs: at(3_601_000),
      finishedAtMs: undefined,
    });
  });

  it('sends observed actions again only on request', async () => {
    const outbox = await oneOfEach();
    expect(await outbox.redeliver(everything, at(1_000), ['observed'])).toBe(1);
    expect(await stateOf(outbox, 7)).toBe('due');
  });

  it('sends executed actions again only on request, under the same id', async () => {
    const outbox = await oneOfEach();
    expect(await outbox.redeliver({ workspaceId, ids: [id(1)] }, at(1_000))).toBe(0);
    expect(await outbox.redeliver({ workspaceId, ids: [id(1), id(4)] }, at(1_000), ['executed'])).toBe(1);
    const [lease] = await outbox.lease(allPlaces, at(1_000));
    expect(lease).toMatchObject({ id: id(1), attempts: 1, round: 0 });
    const ended = await outbox.complete([executed(lease!)], at(1_001));
    expect(ended.outcomes).toMatchObject([{ id: id(1), result: 'executed' }]);
    expect(await outbox.find(workspaceId, id(1))).toMatchObject({ state: 'executed', finishedAtMs: at(1_001) });
    expect(await outbox.attempts(workspaceId, id(1))).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  it('sends those again that finished within a time', async () => {
    const outbox = await oneOfEach();
    const again = (finished: object): Promise<number> =>
      outbox.redeliver({ filter: { workspaceId, ...finished } }, at(1_000), [
        'executed',
        'dead',
        'expired',
        'observed',
      ]);
    expect(await again({ finishedToMs: at(1) })).toBe(0);
    expect(await again({ finishedFromMs: at(1), finishedToMs: at(2) })).toBe(2);
    expect(await again({ finishedFromMs: at(1), finishedToMs: at(1_000) })).toBe(1);
    expect(await Promise.all([1, 3, 9].map((offset) => stateOf(outbox, offset)))).toEqual(['due', 'due', 'due']);
  });

  it('sends the named actions again, brings forward those that wait for a retry, and changes no others', async () => {
    const outbox = await oneOfEach();
    const ids = [1, 3, 4, 5, 6, 8, 77].map(id);
    expect(await outbox.redeliver({ workspaceId, ids }, at(1_000))).toBe(2);
    const leases = await outbox.lease(allPlaces, at(1_000));
    expect(leases.map(({ offset, round }) => [offset, round])).toEqual([
      [3, 0],
      [5, 1],
    ]);
    expect(await outbox.redeliver({ workspaceId: otherWorkspaceId, ids: [id(2)] }, at(1_000))).toBe(0);
  });

  it('neither loses nor duplicates the automatic retry', async () => {
    const outbox = await oneOfEach();
    await outbox.redeliver({ workspaceId, ids: [id(5)] }, at(1_000));
    const [lease] = await outbox.lease(allPlaces, at(1_000));
    expect(lease?.offset).toBe(5);
    if (lease !== undefined) await outbox.complete([executed(lease)], at(1_001));
    expect(await outbox.lease(allPlaces, at(100_000))).toMatchObject([{ offset: 6 }]); // its lease was lost
  });
}

function held(harness: OutboxHarness): void {
  it('are released with their original lifetime, or dropped', async () => {
    const outbox = await harness.open();
    await outbox.insert([1, 2, 3].map((offset) => newAction(offset, { state: 'held', expiresAtMs: at(100) })));
    expect(await outbox.release({ workspaceId, ids: [id(1)] }, at(5_000))).toBe(1);
    expect(await outbox.drop({ workspaceId, ids: [id(2)] }, at(5_000))).toBe(1);
    expect(await outbox.find(workspaceId, id(1))).toMatchObject({ state: 'due', expiresAtMs: at(5_100) });
    expect(await outbox.find(workspaceId, id(2))).toMatchObject({ state: 'dropped', finishedAtMs: at(5_000) });
    expect(await outbox.release({ filter: { workspaceId } }, at(5_000))).toBe(1);
    expect(await outbox.drop({ filter: { workspaceId } }, at(5_000))).toBe(0);
    expect((await outbox.lease(allPlaces, at(5_000))).map(({ offset }) => offset)).toEqual([1, 3]);
    expect(await outbox.claimOutcomes(at(100_000))).toEqual([]);
  });
}
