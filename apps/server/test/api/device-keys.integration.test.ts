import { dayMs } from '@ringfence/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokenFacts } from '../../src/ingest/event-intake.ts';
import { type DeviceKeySet, renewDeviceKey } from '../../src/tenancy/workspaces/device-keys.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { readWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { deviceToken } from '../ingest/support/device-token.ts';
import { managementKit, type ManagementKit } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

const now = (): Workspace => kit.deps.registry.byId(kit.workspace.id)!;
const kidsOf = ({ keys }: DeviceKeySet): readonly string[] => keys.map(({ kid }) => kid);
const rotate = async (body: object): Promise<DeviceKeySet> =>
  (await kit.at('POST', 'device-keys/rotate', { body })).json<DeviceKeySet>();

/** Whether this process can decrypt a token that was encrypted to these keys. */
async function opens(data: string): Promise<boolean> {
  const event = { kind: 'login', channelId: 1, user: 'ana', publicIp: '203.0.113.7', data } as const;
  return tokenFacts(event, now(), { nowMs: kit.deps.now() })?.['device.state'] === 'present';
}

const tokenFor = (workspace: Workspace): Promise<string> =>
  deviceToken(workspace, { iat: Math.floor(kit.deps.now() / 1_000), channelId: 1, origin: 'https://bank.example' });

it('a workspace is created with a device key, and never has more than two', async () => {
  const first = await kit.get<DeviceKeySet>('device-keys');
  expect(first.keys).toHaveLength(1);
  const token = await tokenFor(now());
  expect(await opens(token)).toBe(true);

  const second = await rotate({});
  expect(kidsOf(second)).toEqual([expect.any(String), ...kidsOf(first)]);
  expect(kidsOf(await kit.get<DeviceKeySet>('device-keys'))).toEqual(kidsOf(second));
  expect(await opens(token)).toBe(true);

  const third = await rotate({});
  expect(kidsOf(third)).toEqual([expect.any(String), kidsOf(second)[0]]);
  expect(await opens(token)).toBe(false);
});

it('a leaked device key no longer decrypts tokens', async () => {
  const token = await tokenFor(now());
  const alone = await rotate({ alone: true });
  expect(alone.keys).toHaveLength(1);
  expect(await opens(token)).toBe(false);
  expect(await opens(await tokenFor(now()))).toBe(true);
});

it('a key older than half the maximum age of a token is rotated, and the second rotation ends its tokens', async () => {
  const token = await tokenFor(now());
  const keptForMs = 14 * dayMs;
  const older = (days: number): Promise<unknown> =>
    kit.deps.pool.query(
      `update workspace_secret set made_at = made_at - $2::float8 * interval '1 day' where workspace_id = $1 and name = 'device'`,
      [kit.workspace.id, days],
    );
  const renew = async (): Promise<boolean> => renewDeviceKey(kit.deps, kit.workspace.id, keptForMs);
  const opensNow = async (): Promise<string | undefined> => {
    const { secrets } = await readWorkspace(kit.deps, kit.workspace.id);
    const event = { kind: 'login', channelId: 1, user: 'ana', publicIp: '203.0.113.7', data: token } as const;
    return tokenFacts(event, { ...now(), secrets }, { nowMs: kit.deps.now() })?.['device.state'] as string | undefined;
  };
  expect(await renew()).toBe(false);
  await older(6.9);
  expect(await renew()).toBe(false);
  await older(0.2);
  expect(await renew()).toBe(true);
  expect(await renew()).toBe(false);
  expect(await opensNow()).toBe('present');
  await older(7);
  expect(await renew()).toBe(true);
  expect(await opensNow()).toBe('undecodable');
});

it('the private keys are encrypted in the database, and no old key is kept', async () => {
  await rotate({});
  const found = await kit.deps.pool.query<{ name: string; sealed: Buffer }>(
    `select name, sealed from workspace_secret where workspace_id = $1 and name like 'device%' order by name`,
    [kit.workspace.id],
  );
  expect(found.rows.map(({ name }) => name)).toEqual(['device', 'deviceBefore']);
  for (const { sealed } of found.rows) expect(sealed.toString('latin1')).not.toContain('"d":"');
});
