/**
 * Goal: the master key is rotated under load without any effect on clients; a kill during the rotation loses nothing.
 * Method: a real service with its key in a file, sixty workspaces, a bank that reports without a pause. The command is
 * killed by SIGKILL at moments spread over its work, and repeated until it completes; every response and every webhook
 * is counted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { adminToken } from '../harness/management.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { openScene, type Scene, stateOf } from '../harness/scene.ts';

const policy = {
  'policy.yaml': `rules:
  - { reason: 1, name: All, on: [operation], when: order.amount > 0, then: { action: 3, message: Seen }, mode: live }
`,
};
const program = fileURLToPath(new URL('../../apps/server/bin/ringfence.js', import.meta.url));
const workspaces = 60;
/** Shares of the workspaces that are resealed when the command is killed; -1: when the new key is in the file. */
const killedAt = [-1, 0.01, 0.3, 0.6, 0.95];

let scene: Scene;
let database: Client;
beforeAll(async () => {
  scene = await openScene({ policy, sessionGraceSeconds: 0 });
  database = await connectToEmbedded(stateOf(scene));
  for (let i = 1; i < workspaces; i++) await makeWorkspace(`other ${i}`);
});
afterAll(async () => {
  await database.end();
  await scene.close();
});

async function makeWorkspace(name: string): Promise<void> {
  const response = await fetch(`${scene.service.managementUrl}/management/v1/workspaces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, environment: 'development' }),
  });
  expect(response.status).toBe(201);
  await response.arrayBuffer();
}

function keysInFile(): readonly string[] {
  return readFileSync(join(stateOf(scene), 'secrets', 'master.key'), 'utf8')
    .trim()
    .split('\n');
}

async function shareSealedAnew(): Promise<number> {
  const found = await database.query<{ share: number }>(
    `SELECT avg((master_key_id = (SELECT master_key_id FROM installation))::int)::float8 AS share FROM workspace_secret
      WHERE EXISTS (SELECT 1 FROM retired_master_key)`,
  );
  return found.rows[0]?.share ?? 0;
}

/**
 * Runs the command and kills it at that moment.
 * @returns whether it was killed before it completed
 */
async function killed(share: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, 'master-key', 'rotate', '--config', scene.options.configFile!]);
  const exit = once(child, 'exit');
  await eventually('the moment of the kill', 30_000, async () => {
    const isThere = share < 0 ? keysInFile().length === 2 : (await shareSealedAnew()) >= share;
    return isThere || child.exitCode !== null ? true : undefined;
  });
  child.kill('SIGKILL');
  await exit;
  return child.signalCode === 'SIGKILL';
}

/** A bank that reports operations without a pause until it is stopped, and counts each status. */
function startBank(): { stop(): Promise<ReadonlyMap<number, number>> } {
  const statuses = new Map<number, number>();
  const stopping = new AbortController();
  let sent = 0;
  const visits = Promise.all(
    [1, 2].map(async (visitor) => {
      while (!stopping.signal.aborted) {
        const { status } = await scene.tell('operation', {
          channelId: 1,
          timestamp: new Date().toISOString(),
          transaction: { category: 'transfer', reference: `operation-${++sent}` },
          account: { client: `client-${visitor}-${sent}` },
          order: { amount: 1, currency: 'MXN' },
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await sleep(20); // the pace of the bank: without it the two would use the whole machine
      }
    }),
  );
  return {
    stop: async () => {
      stopping.abort();
      await visits;
      return statuses;
    },
  };
}

it('is rotated under load with five kills, and every event is acknowledged and its action executed', async () => {
  const [first] = keysInFile();
  const bank = startBank();
  const deaths = [];
  for (const share of killedAt) deaths.push(await killed(share));
  expect(deaths.filter(Boolean).length).toBeGreaterThanOrEqual(3);

  const { code, stdout } = await runCommand(['master-key', 'rotate', '--config', scene.options.configFile!]);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('with master key') });
  expect(await shareSealedAnew()).toBe(1);
  expect(keysInFile()).toHaveLength(1);
  expect(keysInFile()).not.toContain(first);
  expect(readdirSync(join(stateOf(scene), 'secrets')).filter((name) => name.endsWith('.retired'))).toHaveLength(1);

  await makeWorkspace('made afterwards');
  const statuses = await bank.stop();
  expect([...statuses.keys()]).toEqual([200]);
  const accepted = statuses.get(200)!;
  expect(accepted).toBeGreaterThan(50);
  await eventually('every operation has its webhook', 15_000, () =>
    scene.receiver.executed.size === accepted ? true : undefined,
  );
});

it('is the only key that a new start needs', async () => {
  await scene.service.stop();
  await scene.start();
  expect((await scene.tell('operation', { channelId: 1, timestamp: new Date().toISOString() })).status).toBe(200);
  const { stdout } = await runCommand(['doctor', '--json', '--config', scene.options.configFile!]);
  const findings = JSON.parse(stdout) as readonly { readonly what: string; readonly state: string }[];
  expect(findings.filter(({ what }) => what === 'master key')).toMatchObject([{ state: 'good' }]);
});

it('in the environment is rotated in the three steps of the guide', async () => {
  const [present, next] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  // For the next start too.
  const env = { RINGFENCE_MASTER_KEY: present };
  const bank = await openScene({ policy, env });
  const rotate = () =>
    runCommand(['master-key', 'rotate', '--config', bank.options.configFile!], {
      RINGFENCE_MASTER_KEY: `${present} ${next}`,
    });
  const restart = async (keys: string): Promise<void> => {
    await bank.service.stop();
    env.RINGFENCE_MASTER_KEY = keys;
    await bank.start();
  };
  try {
    expect(await rotate()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A running process does not have'),
    });
    await restart(`${present} ${next}`);
    expect(await rotate()).toMatchObject({ code: 0, stdout: expect.stringContaining('from RINGFENCE_MASTER_KEY') });
    await restart(next);
    expect((await bank.tell('operation', { channelId: 1, timestamp: new Date().toISOString() })).status).toBe(200);
    await expect(restart(present)).rejects.toThrow('was replaced on');
    env.RINGFENCE_MASTER_KEY = next;
    await bank.start();
  } finally {
    await bank.close();
  }
});
