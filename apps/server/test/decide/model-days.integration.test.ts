/** Goal: what models read is counted exactly, however often the deciding thread is killed. */
import type { Worker } from 'node:worker_threads';
import { dayMs } from '@ringfence/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadEngineThread } from '../../src/decide/engine-host.ts';
import type { ToWorker } from '../../src/decide/messages.ts';
import { readModelDays, removeModelDays } from '../../src/decide/model-days.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { driftFiles } from '../support/drift-policy.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;
let thread: Worker | undefined;

const population = {
  margins: { edges: [0], counts: [500, 500, 0] },
  inputs: [
    { edges: [50, 100], counts: [250, 250, 500, 0] },
    { edges: [0], counts: [0, 1_000, 0] },
  ],
};

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  const wanted = { files: driftFiles(population), author: 'test', comment: '', actor: 'api' } as const;
  await applyPolicy({ ...home.deps, log: scene.log }, scene.workspace.id, wanted);
});
afterAll(async () => {
  await stop();
  await scene.close();
  await home.close();
});

function start(name: string): void {
  const settings = {
    database: home.connection,
    master: home.master.source,
    process: name,
    residentBytesMax: 64 * 2 ** 20,
    weights: { production: 8, development: 1 },
    retains: false,
  };
  thread = loadEngineThread();
  thread.postMessage({ kind: 'begin', settings, ingest: [] } satisfies ToWorker);
}

async function kill(): Promise<void> {
  await thread?.terminate();
  thread = undefined;
}

/** With its last checkpoint. */
async function stop(): Promise<void> {
  if (thread === undefined) return;
  const ended = new Promise((resolve) => thread!.once('exit', resolve));
  thread.postMessage({ kind: 'stop' });
  await ended;
  thread = undefined;
}

let sent = 0;
/** By bin of the amount: up to 50, up to 100, more, missing. */
const expected = [0, 0, 0, 0];

async function pay(count: number): Promise<void> {
  for (let i = 0; i < count; i++, sent++) {
    const amount = [40, 50, 60, 100, 101, 5_000, undefined][sent % 7];
    expected[amount === undefined ? 3 : amount <= 50 ? 0 : amount <= 100 ? 1 : 2]! += 1;
    await scene.send('operation', {
      channelId: 1,
      timestamp: new Date().toISOString(),
      account: { client: `client ${sent % 5}`, session: 's' },
      transaction: { reference: `r${sent}` },
      ...(amount === undefined ? {} : { order: { amount, currency: 'MXN' } }),
    });
  }
}

async function counted(): Promise<Record<string, readonly number[]>> {
  const nowMs = Date.now();
  const days = await readModelDays(scene.pool, {
    workspaceIds: [scene.workspace.id],
    fromMs: nowMs - dayMs,
    toMs: nowMs + dayMs,
  });
  const byInput: Record<string, number[]> = {};
  for (const { input, counts } of days) {
    const sums = (byInput[input] ??= counts.map(() => 0));
    counts.forEach((count, bin) => (sums[bin]! += count));
  }
  return byInput;
}

function exactly(): Record<string, readonly number[]> {
  const [low, middle, high, missing] = expected as [number, number, number, number];
  return {
    '': [low + middle + missing, high, 0],
    amount: [low, middle, high, missing],
    kind: [0, sent, 0],
  };
}

it('neither loses nor doubles a value when the thread is killed before, between and after checkpoints', async () => {
  for (let round = 0; round < 4; round++) {
    start(`killed ${round}`);
    await pay(40);
    await scene.settled();
    await pay(15);
    await kill();
  }
  start('last');
  await scene.settled();
  await stop();
  expect(await counted()).toEqual(exactly());
  start('again');
  await pay(30);
  await scene.settled();
  await stop();
  expect(sent).toBe(250);
  expect(await counted()).toEqual(exactly());
});

it('counts again from the base of the log when the checkpoint is lost', async () => {
  await scene.pool.query(`delete from checkpoint where workspace_id = $1`, [scene.workspace.id]);
  start('rebuilt');
  await pay(1);
  await scene.settled();
  await stop();
  expect(await counted()).toEqual(exactly());
});

it('is kept for two years', async () => {
  const years = (count: number): number => Date.now() + count * 365 * dayMs;
  await removeModelDays(scene.pool, scene.workspace.id, years(1.9));
  expect(await counted()).toEqual(exactly());
  await removeModelDays(scene.pool, scene.workspace.id, years(2.1));
  expect(await counted()).toEqual({});
});
