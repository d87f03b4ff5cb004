import { describe, expect, it } from 'vitest';
import { EngineLag } from '../../../src/ingest/lag/engine-lag.ts';
import type { ReadPosition } from '../../../src/ingest/lag/workspace-lag.ts';
import { testWorkspace } from '../../deliver/support/workspace-fixture.ts';

const id = 'bankbank';

function setUp(position: ReadPosition) {
  const world = { nowMs: 0, position, reads: 0, errors: 0, fails: false };
  const lag = new EngineLag({
    read: async (ids) => {
      world.reads += 1;
      if (world.fails) throw new Error('no connection');
      return new Map(ids.map((one) => [one, world.position]));
    },
    monotonicMs: () => world.nowMs,
    onError: () => void (world.errors += 1),
  });
  return { world, lag };
}

const nothing: ReadPosition = { decidedTo: 0, end: 0, lagMs: 0 };

describe('the lag of a workspace', () => {
  it('is read at the start', async () => {
    const { lag, world } = setUp({ decidedTo: 10, end: 20, lagMs: 3_000 });
    await lag.start([id]);
    lag.close();
    world.nowMs = 500;
    expect(lag.lagMs(id)).toBe(3_500);
    expect(lag.lagMs('another')).toBe(0);
  });

  it('is read for a workspace that was made later, once', async () => {
    const { lag, world } = setUp({ decidedTo: 0, end: 2, lagMs: 40 });
    lag.grown(id, 1);
    lag.grown(id, 2);
    await expect.poll(() => lag.lagMs(id)).toBe(40);
    expect(world.reads).toBe(1);
  });

  it('does not grow because notices are lost: the position is read', async () => {
    const { lag, world } = setUp(nothing);
    await lag.start([id]);
    lag.close();
    lag.grown(id, 5);
    world.nowMs = 900;
    await lag.look();
    expect(world.reads).toBe(1);
    world.nowMs = 1_100;
    world.position = { decidedTo: 5, end: 5, lagMs: 0 };
    await lag.look();
    expect(lag.lagMs(id)).toBe(0);
  });

  it('starts again when a failover has set the log back', async () => {
    const { lag, world } = setUp({ decidedTo: 100, end: 110, lagMs: 0 });
    await lag.start([id]);
    lag.close();
    world.nowMs = 5_000;
    world.position = { decidedTo: 90, end: 95, lagMs: 700 };
    await lag.look();
    expect(lag.lagMs(id)).toBe(700);
    lag.decided({ workspaceId: id, nextOffset: 95 });
    expect(lag.lagMs(id)).toBe(0);
  });

  it('stays as it was while the database does not answer', async () => {
    const { lag, world } = setUp({ decidedTo: 0, end: 1, lagMs: 0 });
    await lag.start([id]);
    world.fails = true;
    world.nowMs = 9_000;
    await lag.look();
    lag.close();
    expect([lag.lagMs(id), world.errors]).toEqual([9_000, 1]);
  });

  it('is unknown growth if an older release does not say how far the log has grown', async () => {
    const { lag } = setUp(nothing);
    await lag.start([id]);
    lag.close();
    lag.grown(id, Number.POSITIVE_INFINITY);
    expect(lag.lagMs(id)).toBe(0);
  });
});

it('an event is refused only if its workspace has a lagMax, for whole seconds', async () => {
  const { lag, world } = setUp(nothing);
  await lag.start([id]);
  lag.close();
  lag.grown(id, 1);
  lag.decided({ workspaceId: id, nextOffset: 1 });
  lag.grown(id, 10_001);
  for (let step = 1; step <= 5; step++) {
    world.nowMs = step * 100;
    lag.decided({ workspaceId: id, nextOffset: 1 + step * 100 });
  }
  // 9,500 records at 1,000/s.
  const asked = (lagMax?: number): number | undefined =>
    lag.refusedSeconds(testWorkspace({ id, settings: lagMax === undefined ? {} : { lagMax } }));
  expect([asked(5), asked(8), asked(10), asked()]).toEqual([5, 2, undefined, undefined]);
});
