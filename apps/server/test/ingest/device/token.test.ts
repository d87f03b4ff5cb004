import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceKeysPlugin } from '../../../src/ingest/device-key-routes.ts';
import { tokenFacts } from '../../../src/ingest/event-intake.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { type DoorKit, doorKit, login, logout, opened, records, startMs } from '../support/door-kit.ts';
import { deviceToken } from '../support/device-token.ts';

let kit: DoorKit;
beforeEach(async () => {
  kit = await doorKit();
});
afterEach(() => kit.app.close());

/** The facts in the record of the last request. */
async function recorded(): Promise<Readonly<Record<string, unknown>>> {
  return opened(kit, (await records(kit)).at(-1)!).enrichment.facts;
}

describe('a login with a device token', () => {
  it('stores the facts of the token in its record, and the token in its body', async () => {
    const token = await deviceToken(kit.workspace, {
      iat: startMs / 1_000 - 3,
      channelId: 1,
      origin: 'https://bank.example',
    });
    expect((await kit.post('login', { ...login, data: token })).statusCode).toBe(200);
    expect(await recorded()).toMatchObject({
      'ip.valid': true,
      'device.state': 'present',
      'device.age': 3_000,
      'device.origin': 'https://bank.example',
    });
    expect(opened(kit, (await records(kit))[0]!).event).toHaveProperty('data', token);
  });

  it.each([
    ['', 'absent'],
    ['v1.opaque-blob-of-another-product', 'undecodable'],
  ])('with data %j is accepted, and its device state is %s', async (data, state) => {
    expect((await kit.post('login', { ...login, data })).statusCode).toBe(200);
    const facts = Object.entries(await recorded()).filter(([path]) => path.startsWith('device.'));
    expect(facts).toEqual([['device.state', state]]);
  });
});

it('a logout has no device facts', async () => {
  expect((await kit.post('logout', { ...logout, data: 'anything' })).statusCode).toBe(200);
  expect(await recorded()).toEqual({});
});

describe('tokenFacts, by the settings of the workspace,', () => {
  const event = { kind: 'login', channelId: 1, user: 'ana', publicIp: '203.0.113.7', data: 'blob' } as const;

  it('returns no facts for a channel without tokens', () => {
    expect(tokenFacts(event, kit.workspace, { nowMs: startMs })).toEqual({ 'device.state': 'undecodable' });
    const channel = { ...kit.workspace.channels.get(1)!, device: 'none' } as const;
    const without: Workspace = { ...kit.workspace, channels: new Map([[1, channel]]) };
    expect(tokenFacts(event, without, { nowMs: startMs })).toBeUndefined();
  });

  it('marks a token from a foreign origin', async () => {
    const data = await deviceToken(kit.workspace, {
      iat: startMs / 1_000,
      channelId: 1,
      origin: 'https://evil.example',
    });
    const settings = { ...kit.workspace.settings, deviceOrigins: ['https://bank.example'] };
    const facts = tokenFacts({ ...event, data }, { ...kit.workspace, settings }, { nowMs: startMs });
    expect(facts).toMatchObject({ 'device.state': 'foreign', 'device.origin': 'https://evil.example' });
  });
});

describe('the device keys of a workspace', () => {
  beforeEach(async () => {
    const { workspace } = kit;
    await kit.app.close();
    const byId = (id: string): Workspace | undefined => (id === workspace.id ? workspace : undefined);
    kit = await doorKit({ deps: { plugins: [deviceKeysPlugin({ byId })] } });
  });

  it('are public, and contain no private members', async () => {
    const answer = await kit.app.inject(`/device/v1/keys/${kit.workspace.id}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=300',
    });
    const { keys } = answer.json<{ keys: readonly object[] }>();
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  });

  it('are 404 for an unknown workspace', async () => {
    const answer = await kit.app.inject('/device/v1/keys/aaaaaaaa');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({
      code: 'thing.unknown',
      detail: expect.stringContaining('No workspace') as string,
    });
  });
});
