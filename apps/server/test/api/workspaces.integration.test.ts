import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkspaceAnswer } from '../../src/api/workspaces/workspace-schema.ts';
import { createWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

let made = 0;
async function make(body: object = {}): Promise<string> {
  const response = await kit.call('POST', '/workspaces', {
    body: { name: `tenant ${++made}`, environment: 'development', ...body },
  });
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json<WorkspaceAnswer>().id;
}

async function read(id: string): Promise<WorkspaceAnswer> {
  return (await kit.call('GET', `/workspaces/${id}`)).json();
}

describe('a new workspace', () => {
  it('is returned with its key, only once, and exists immediately', async () => {
    const body = {
      name: 'acme',
      environment: 'production',
      settings: { timezone: 'America/Lima', webhook: { url: 'https://bank.example/hook' } },
      channels: [{ id: 1, name: 'Mobile app' }],
    };
    const response = await kit.call('POST', '/workspaces', { body });
    expect(response.statusCode).toBe(201);
    const { keys, ...workspace } = response.json();
    expect(keys).toMatchObject([{ text: expect.stringMatching(/^rf_live_\w{49}$/), origin: 'generated' }]);
    expect(workspace).toMatchObject({
      name: 'acme',
      environment: 'production',
      owners: { settings: 'api', keys: 'api', policy: 'api' },
      settings: { timezone: 'America/Lima', deliver: 'observe', webhook: { dateStyle: 'zone' } },
      channels: [{ id: 1, name: 'Mobile app', idleMinutes: 30, absoluteHours: 12, sessions: 'required' }],
    });
    expect(await read('acme:production')).toEqual(workspace);
    const listed = (await kit.call('GET', '/workspaces')).json<{ items: WorkspaceAnswer[] }>().items;
    expect(listed.map(({ name }) => name)).toContain('acme');
    expect(kit.deps.registry.authenticate(keys[0].text, 'production')?.workspace.id).toBe(workspace.id);
  });

  it('with a name that is taken is 409', async () => {
    const body = { name: 'twice', environment: 'production' };
    expect((await kit.call('POST', '/workspaces', { body })).statusCode).toBe(201);
    expect(problemOf(await kit.call('POST', '/workspaces', { body })).code).toBe('state.conflict');
  });

  it('gets every error in one answer, including nested ones', async () => {
    const body = {
      name: '/',
      environment: 'prod',
      settings: { timezone: 'Mars', webhook: { url: 'http://10.0.0.1/', proxi: 'x' }, blockHours: '24' },
      channels: [
        { id: 1, name: 'a' },
        { id: 1, name: 'b' },
      ],
    };
    const { errors = [] } = problemOf(await kit.call('POST', '/workspaces', { body }));
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/environment',
      '/settings/timezone',
      '/settings/webhook/proxi',
      '/settings/blockHours',
      '/channels/1/id',
    ]);
    expect(errors[3]?.expected).toBe('proxy');
  });

  it('is refused if its webhook address is not allowed', async () => {
    const body = { name: 'inner', environment: 'production', settings: { webhook: { url: 'http://10.0.0.1/' } } };
    expect(problemOf(await kit.call('POST', '/workspaces', { body })).errors).toMatchObject([
      { pointer: '/settings/webhook/url' },
    ]);
  });
});

describe('settings', () => {
  it('change by a merge patch: omitted members stay, null restores the default', async () => {
    const id = await make({
      settings: { timezone: 'Asia/Tokyo', blockHours: 48, lagMax: 60, rateLimit: { perSecond: 5, burst: 9 } },
    });
    const patch = { blockHours: 1, lagMax: null, rateLimit: null, webhook: { url: 'https://bank.example/hook' } };
    const response = await kit.call('PATCH', `/workspaces/${id}`, { body: { settings: patch } });
    expect(response.json<WorkspaceAnswer>().settings).toMatchObject({
      timezone: 'Asia/Tokyo',
      blockHours: 1,
      webhook: { url: 'https://bank.example/hook', clientHash: 'hmac' },
    });
    for (const name of ['rateLimit', 'lagMax'])
      expect(response.json<WorkspaceAnswer>().settings).not.toHaveProperty(name);
    const again = await kit.call('PATCH', `/workspaces/${id}`, { body: { settings: { timezone: null } } });
    expect(again.json<WorkspaceAnswer>().settings).toMatchObject({ timezone: 'UTC', blockHours: 1 });
    expect((await read(id)).settings).toEqual(again.json<WorkspaceAnswer>().settings);
  });

  it('can be live only with a webhook', async () => {
    const id = await make();
    const body = { settings: { deliver: 'live' } };
    expect(problemOf(await kit.call('PATCH', `/workspaces/${id}`, { body })).errors).toMatchObject([
      { pointer: '/settings/deliver' },
    ]);
  });

  it('never show a proxy’s password', async () => {
    const webhook = { url: 'https://bank.example/hook', proxy: 'http://user:hush-hush@proxy.example:3128' };
    const id = await make({ settings: { webhook } });
    const { body } = await kit.call('GET', `/workspaces/${id}`);
    expect(body).toContain('http://[set]@proxy.example:3128');
    expect(body).not.toContain('hush-hush');
  });

  it.each([[{ settings: 5 }], [{ settings: [] }], [{ setings: {} }], [{ channels: {} }], [{ name: '' }]])(
    'are not %j',
    async (body) => {
      const id = await make();
      expect(problemOf(await kit.call('PATCH', `/workspaces/${id}`, { body })).code).toBe('request.invalid');
    },
  );

  it('and the name change together, or not at all', async () => {
    const id = await make();
    await make({ name: 'taken' });
    const body = { name: 'taken', settings: { blockHours: 3 } };
    expect(problemOf(await kit.call('PATCH', `/workspaces/${id}`, { body })).code).toBe('state.conflict');
    expect((await read(id)).settings).toMatchObject({ blockHours: 24 });
    expect((await kit.call('PATCH', `/workspaces/${id}`, { body: { name: 'free' } })).json()).toMatchObject({
      name: 'free',
    });
  });
});

describe('channels', () => {
  it('are configured and removed one by one, even concurrently', async () => {
    const id = await make();
    const put = (channel: number) =>
      kit.call('PUT', `/workspaces/${id}/channels/${channel}`, {
        body: { name: `Channel ${channel}`, idleMinutes: 10 },
      });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(put));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect((await read(id)).channels).toHaveLength(5);
    const removed = await kit.call('DELETE', `/workspaces/${id}/channels/3`);
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
    expect(problemOf(await kit.call('DELETE', `/workspaces/${id}/channels/3`)).code).toBe('thing.unknown');
    const changed = await kit.call('PUT', `/workspaces/${id}/channels/2`, { body: { name: 'Web' } });
    expect(changed.json<WorkspaceAnswer>().channels).toEqual([
      expect.objectContaining({ id: 1 }),
      { id: 2, name: 'Web', idleMinutes: 30, absoluteHours: 12, sessions: 'required' },
      expect.objectContaining({ id: 4 }),
      expect.objectContaining({ id: 5 }),
    ]);
  });

  it.each([
    ['x', { name: 'App' }, '/channel'],
    ['1', {}, '/name'],
    ['1', { name: 'App', id: 2 }, '/id'],
    ['1', { name: 'App', idleMinutes: 0 }, '/idleMinutes'],
  ])('%s with %j are refused', async (channel, body, pointer) => {
    const id = await make();
    const response = await kit.call('PUT', `/workspaces/${id}/channels/${channel}`, { body });
    expect(problemOf(response).errors).toMatchObject([{ pointer }]);
  });
});

describe('what the configuration file declares', () => {
  const policy = { files: [{ path: 'a.yaml', text: 'rules: []' }], author: 'mara' };
  it.each([
    ['PATCH', '', { settings: { blockHours: 1 } }],
    ['PATCH', '', { name: 'mine now' }],
    ['PUT', '/channels/1', { name: 'App' }],
    ['DELETE', '/channels/1', undefined],
    ['POST', '/keys', {}],
    ['POST', '/policies', policy],
  ])('is read-only: %s %s', async (method, path, body) => {
    const owners = { settings: 'config', keys: 'config', policy: 'config' } as const;
    const channels = [{ id: 1, name: 'App' }];
    const wanted = { name: `declared ${++made}`, environment: 'production', owners, channels } as const;
    const { workspace } = await createWorkspace(kit.deps, wanted);
    const response = await kit.call(method, `/workspaces/${workspace.id}${path}`, { body });
    expect(problemOf(response)).toMatchObject({
      code: 'owner.config',
      detail: expect.stringContaining('are declared in the configuration file'),
    });
  });

  it('is listed by its owners', async () => {
    const owners = { settings: 'config', keys: 'api', policy: 'config' } as const;
    const { workspace } = await createWorkspace(kit.deps, { name: 'mixed', environment: 'production', owners });
    expect((await read(workspace.id)).owners).toEqual(owners);
    expect((await kit.call('POST', `/workspaces/${workspace.id}/keys`)).statusCode).toBe(201);
  });
});
