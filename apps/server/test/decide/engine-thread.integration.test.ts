/** The deciding thread, started like in a process, and killed without warning. */
import type { Worker } from 'node:worker_threads';
import { dayMs } from '@ringfence/contract';
import { parseCidr } from '@ringfence/delivery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadEngineThread } from '../../src/decide/engine-host.ts';
import type { FromWorker, ToWorker } from '../../src/decide/messages.ts';
import { readRetentionAge } from '../../src/decide/retention/kept-since.ts';
import { updateWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;
let threads: Worker[];

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  threads = [];
});
afterEach(async () => {
  for (const thread of threads) {
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage({ kind: 'stop' });
    await ended;
  }
  await scene.close();
  await home.close();
});

function start(name: string): Worker {
  const settings = {
    database: home.connection,
    master: home.master.source,
    process: name,
    residentBytesMax: 64 * 2 ** 20,
    weights: { production: 8, development: 1 },
    retains: true,
  };
  const thread = loadEngineThread();
  thread.postMessage({ kind: 'begin', settings, ingest: [] } satisfies ToWorker);
  threads.push(thread);
  return thread;
}

async function kill(thread: Worker): Promise<void> {
  threads = threads.filter((one) => one !== thread);
  await thread.terminate();
}

/** The processes that took each workspace last. */
async function owners(): Promise<readonly string[]> {
  const found = await scene.pool.query<{ process: string }>(`select process from partition_owner order by process`);
  return found.rows.map(({ process }) => process);
}

describe('a thread that is killed', () => {
  it('loses its workspaces to other processes within 10 s, and loses no events', async () => {
    const workspaces = [scene.workspace, await scene.addWorkspace(), await scene.addWorkspace()];
    const first = start('first');
    await expect.poll(owners).toEqual(['first', 'first', 'first']);
    start('second');
    await expect.poll(owners).toEqual(['first', 'first', 'second']);
    const send = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        const account = { client: `client ${i}`, session: 's' };
        await scene.send(
          'operation',
          { channelId: 1, timestamp: new Date().toISOString(), account },
          workspaces[i % 3],
        );
      }
    };
    await send(60);
    await kill(first);
    await send(60);
    await expect.poll(owners).toEqual(['second', 'second', 'second']);
    await scene.settled();
    const events = await scene.pool.query<{ status: string; count: number }>(
      `select status, count(*)::integer as count from event group by 1`,
    );
    expect(events.rows).toEqual([{ status: 'decided', count: 120 }]);
    const ranges = await scene.pool.query(`select 1 from irreproducible_range`);
    expect(ranges.rowCount).toBe(0);
  });

  it('leaves no setting unreported: the next owner reports it to the engine immediately', async () => {
    const first = start('first');
    await expect.poll(owners).toEqual(['first']);
    await scene.settled();
    // The state that a change leaves when its process is killed before it appends the record.
    await scene.pool.query(`update workspace set settings = settings || '{"blockHours": 7}'`);
    const { end } = await scene.log.head(scene.workspace.id);
    await kill(first);
    start('second');
    const told = async (): Promise<readonly string[]> =>
      (await scene.log.read(scene.workspace.id, end, 10)).map(({ kind }) => kind);
    await expect.poll(told).toContain('settings');
  });
});

it('applies a changed action lifetime from the next action on', async () => {
  start('first');
  const burst = async (client: string): Promise<void> => {
    await scene.send('login', { channelId: 1, user: client, session: client, publicIp: '203.0.113.7', data: 'd' });
    for (let i = 0; i < 6; i++) {
      await scene.send('operation', {
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client, session: client },
        order: { amount: 10 + i, currency: 'MXN' },
      });
    }
  };
  const minutes = async (): Promise<readonly number[]> => {
    const found = await scene.pool.query<{ minutes: number }>(
      `select extract(epoch from lifetime)::integer / 60 as minutes from action order by seq`,
    );
    return found.rows.map((row) => row.minutes);
  };
  await burst('ana');
  await expect.poll(minutes).toEqual([15]);
  const settings = { webhook: { expiryMinutes: { 2: 3 } } };
  const deps = { ...home.deps, allowPrivateWebhooks: [parseCidr('127.0.0.0/8')!] };
  await updateWorkspace(deps, scene.workspace.id, { settings, actor: 'api' });
  const longer = async (): Promise<readonly number[]> => {
    await burst(`client ${String(performance.now())}`);
    return (await minutes()).slice(-1);
  };
  await expect.poll(longer).toEqual([3]);
});

it('reports errors with name, message, code and stack', async () => {
  const thread = start('first');
  const told: FromWorker[] = [];
  thread.on('message', (message: FromWorker) => told.push(message));
  await expect.poll(owners).toEqual(['first']);
  await scene.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const error = (): unknown => told.find((one) => one.kind === 'log' && 'err' in one.fields);
  await expect.poll(error).toMatchObject({
    fields: { err: { name: expect.any(String), message: expect.any(String), stack: expect.any(String) } },
  });
});

it('removes expired data soon after its start', async () => {
  await scene.pool.query(`update retention_round set finished_at = now() - interval '9 days'`);
  expect(await readRetentionAge(scene.pool, Date.now())).toBeGreaterThan(8 * dayMs);
  start('first');
  await expect.poll(() => readRetentionAge(scene.pool, Date.now())).toBeLessThan(dayMs);
});
