/** Replaying the log reproduces the live decisions bit for bit, however it is batched and interrupted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PolicyCache } from '../../src/policies/policy-cache.ts';
import { replay } from '../../src/decide/replay.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;
let live: { readonly end: number; readonly decided: number; readonly digest: string };

/** A small seeded generator: the same traffic in every run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const events = 600;

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  const host = scene.startHost();
  const random = randomOf(7);
  for (let i = 0; i < events; i++) {
    const client = `client-${random(12)}`;
    const session = `s-${random(3)}`;
    const kind = random(10);
    const address = `203.0.113.${random(6)}`;
    if (kind < 3) await scene.send('login', { channelId: 1, user: client, session, publicIp: address, data: '' });
    else if (kind < 4) await scene.send('logout', { channelId: 1, user: client, session });
    else {
      await scene.send('operation', {
        channelId: 1,
        timestamp: new Date(Date.now() - random(3_600_000)).toISOString(),
        account: { client, session },
        order: { amount: 1 + random(50_000), currency: 'MXN' },
        accountTo: { bank: 'B1', accountNumber: String(random(5)) },
        transaction: { reference: String(random(200)) },
      });
    }
    // Stops at odd moments: the next host begins at a checkpoint.
    if (i === 211) await host.stop();
    if (i === 240) scene.startHost();
  }
  await scene.settled();
  live = await recorded();
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

async function recorded(): Promise<typeof live> {
  const found = await scene.pool.query<{ next_offset: number; decided: number; digest: Buffer }>(
    `select next_offset, decided, digest from engine_position where workspace_id = $1`,
    [scene.workspace.id],
  );
  const { next_offset: end, decided, digest } = found.rows[0]!;
  return { end, decided, digest: digest.toString('hex') };
}

async function replayed(options: { batchRecords?: number; restartRecords?: number }) {
  const { log, subjects, workspace, pool } = scene;
  const deps = { pool, log, subjects, policies: new PolicyCache(pool) };
  const done = await replay(deps, workspace, { end: live.end, quarantined: new Set(), ...options });
  return { ...done, digest: Buffer.from(done.digest).toString('hex') };
}

const random = randomOf(11);

/** Twice the same, then in other batch sizes; the last ones with 20 restarts and more, at random places. */
const ways = [
  {},
  {},
  { batchRecords: 1 },
  { batchRecords: 7 },
  { batchRecords: 100, restartRecords: 33 },
  { restartRecords: 1 },
  ...Array.from({ length: 4 }, () => ({ batchRecords: 1 + random(200), restartRecords: 2 + random(events / 20 - 2) })),
];

it('decides every event', () => {
  expect(live.decided).toBeGreaterThanOrEqual(events);
});

it.each(ways)('yields the same SHA-256 of all decisions as live: %j', async (options) => {
  expect(await replayed(options)).toMatchObject({ digest: live.digest, decided: live.decided, unreadable: 0 });
});

it('reports what it cannot reproduce: events of a client that was erased', async () => {
  expect(await eraseClient(scene, scene.workspace, 'client-3')).toBeDefined();
  const done = await replayed({});
  expect(done.unreadable).toBeGreaterThan(0);
  expect(done.digest).not.toBe(live.digest);
});
