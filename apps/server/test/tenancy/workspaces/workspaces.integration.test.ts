import { Problem } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { syncSettings, syncAllSettings } from '../../../src/tenancy/workspaces/settings-sync.ts';
import {
  createWorkspace,
  exportPepper,
  listWorkspaces,
  readWorkspace,
  replacePepper,
  updateWorkspace,
} from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation, testMasterKeys } from '../../support/installation.ts';

let home: Installation;
beforeAll(async () => {
  home = await makeInstallation();
});
afterAll(() => home.close());

const byApi = { settings: 'api', keys: 'api', policy: 'api' } as const;
const byFile = { settings: 'config', keys: 'config', policy: 'config' } as const;

let count = 0;
async function make(settings: unknown = {}, owners: Workspace['owners'] = byApi): Promise<Workspace> {
  const name = `bank ${++count}`;
  return (await createWorkspace(home.deps, { name, environment: 'production', owners, settings })).workspace;
}

/** The payloads of a workspace's control records, in order. */
async function logged(workspaceId: string): Promise<readonly (readonly [string, unknown])[]> {
  const records = await home.log.read(workspaceId, 0, 1_000);
  return records.map((record) => [record.kind, JSON.parse(Buffer.from(record.payload).toString('utf8'))]);
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof Problem)) throw new Error(`expected a Problem, got ${String(error)}`);
  return error;
}

describe('a new workspace', () => {
  it('has all defaults, its own four secrets, a generated key and a log that starts with its settings', async () => {
    const { workspace, keys } = await createWorkspace(home.deps, {
      name: 'acme',
      environment: 'development',
      owners: byApi,
    });
    expect(workspace).toMatchObject({
      id: expect.stringMatching(/^[a-z2-7]{8}$/),
      environment: 'development',
      owners: byApi,
      settings: {
        timezone: 'UTC',
        cards: 'mask',
        sessionGraceSeconds: 5,
        blockHours: 24,
        keepEvents: '400d',
        keepActions: '400d',
        deliver: 'observe',
      },
      policyVersion: undefined,
    });
    const { data, index, pepper, webhook } = workspace.secrets;
    expect(new Set([data, index, pepper, webhook].map((key) => key.toString('hex'))).size).toBe(4);
    expect([data, index, pepper, webhook].map((key) => key.length)).toEqual([32, 32, 32, 32]);
    expect(keys).toMatchObject([{ text: expect.stringMatching(/^rf_test_/), origin: 'generated' }]);
    expect(await logged(workspace.id)).toEqual([
      [
        'settings',
        {
          sessionGraceMs: 5_000,
          blockMs: 86_400_000,
          timezone: 'UTC',
          deliver: 'observe',
          sessionDefaults: { idleMs: 1_800_000, absoluteMs: 43_200_000, sessions: 'required' },
          channels: {},
        },
      ],
    ]);
  });

  it('with a name that is taken in its environment is refused, and nothing is stored', async () => {
    const wanted = { name: 'twice', environment: 'production', owners: byApi } as const;
    await createWorkspace(home.deps, wanted);
    expect(await problemOf(createWorkspace(home.deps, wanted))).toMatchObject({ code: 'state.conflict' });
    await createWorkspace(home.deps, { ...wanted, environment: 'development' });
    const named = (await listWorkspaces(home.deps)).filter(({ name }) => name === 'twice');
    expect(named.map(({ environment }) => environment)).toEqual(['development', 'production']);
  });

  it('with invalid settings is refused with a pointer to each of them', async () => {
    const settings = { timezone: 'Mars', blockHours: 0, webhook: { url: 'https://10.1.1.1/' } };
    const problem = await problemOf(
      createWorkspace(home.deps, { name: 'x', environment: 'production', owners: byApi, settings }),
    );
    expect(problem).toMatchObject({ code: 'request.invalid' });
    expect(problem.errors.map(({ pointer }) => pointer)).toEqual(['/settings/timezone', '/settings/blockHours']);
  });

  it('stores no secret in plain text', async () => {
    const proxy = 'http://user:hunter2@proxy.example:3128';
    const { workspace, keys } = await createWorkspace(home.deps, {
      name: 'secretive',
      environment: 'production',
      owners: byApi,
      settings: { webhook: { url: 'https://bank.example/hook', proxy } },
    });
    expect(workspace.settings.webhook?.proxy).toBe(proxy);
    const dump = await home.pool.query<{ all: string }>(
      `select (select json_agg(w) from workspace w)::text || (select json_agg(k) from license_key k)::text
           || (select json_agg(s) from workspace_secret s)::text as all`,
    );
    for (const secret of ['hunter2', keys[0]!.text, workspace.secrets.pepper.toString('hex')]) {
      expect(dump.rows[0]!.all).not.toContain(secret);
    }
  });

  it('cannot be opened with another master key; the error names the missing one', async () => {
    const workspace = await make();
    await expect(readWorkspace({ ...home.deps, master: testMasterKeys() }, workspace.id)).rejects.toThrow(
      `is sealed under master key ${home.master.all()[0]!.id}`,
    );
  });
});

describe('a change of settings', () => {
  it('is merged, and the engine gets the settings that concern it', async () => {
    const workspace = await make({ timezone: 'Asia/Tokyo', rateLimit: { perSecond: 5, burst: 10 } });
    const channels = [{ id: 7, name: 'Web', idleMinutes: 10, sessions: 'optional' }];
    const settings = { sessionGraceSeconds: 0, rateLimit: null };
    const changed = await updateWorkspace(home.deps, workspace.id, { settings, channels, actor: 'api' });
    expect(changed.settings).toMatchObject({ timezone: 'Asia/Tokyo', sessionGraceSeconds: 0 });
    expect(changed.settings.rateLimit).toBeUndefined();
    expect(changed.channels.get(7)).toEqual({
      id: 7,
      name: 'Web',
      idleMinutes: 10,
      absoluteHours: 12,
      sessions: 'optional',
    });
    expect((await logged(workspace.id)).at(-1)).toMatchObject([
      'settings',
      { sessionGraceMs: 0, channels: { 7: { idleMs: 600_000, absoluteMs: 43_200_000, sessions: 'optional' } } },
    ]);
  });

  it('to a channel without device tokens reaches the engine, and can be reverted', async () => {
    const workspace = await make();
    const device = async (device: string | undefined): Promise<unknown> => {
      const channels = [{ id: 7, name: 'App', ...(device === undefined ? {} : { device }) }];
      const changed = await updateWorkspace(home.deps, workspace.id, { channels, actor: 'api' });
      const [, settings] = (await logged(workspace.id)).at(-1) as [string, { channels: Record<string, object> }];
      return [changed.channels.get(7)?.device, settings.channels[7]];
    };
    expect(await device('none')).toEqual(['none', expect.objectContaining({ device: 'none' })]);
    expect(await device(undefined)).toEqual([undefined, expect.not.objectContaining({ device: 'none' })]);
  });

  const withOrigin = async (origin: string): Promise<Workspace> => {
    const { id } = await make();
    return updateWorkspace(home.deps, id, { settings: { deviceOrigins: [origin] }, actor: 'api' });
  };

  it.each(['https://bank.example', 'http://localhost:3000', 'android:com.bank.app'])(
    'to the page origin %s is accepted',
    async (origin) => {
      expect((await withOrigin(origin)).settings.deviceOrigins).toEqual([origin]);
    },
  );

  it.each(['https://bank.example/', 'https://bank.example/login', 'https://Bank.example', 'bank.example', 'null'])(
    'to the page origin %s is refused',
    async (origin) => {
      await expect(withOrigin(origin)).rejects.toMatchObject({ code: 'request.invalid' });
    },
  );

  it('of the time zone reaches the engine', async () => {
    const workspace = await make();
    await updateWorkspace(home.deps, workspace.id, { settings: { timezone: 'Asia/Tokyo' }, actor: 'api' });
    expect((await logged(workspace.id)).at(-1)).toMatchObject(['settings', { timezone: 'Asia/Tokyo' }]);
  });

  it('that does not concern the engine appends nothing', async () => {
    const workspace = await make();
    await updateWorkspace(home.deps, workspace.id, {
      name: `${workspace.name} renamed`,
      settings: { cards: 'refuse' },
      actor: 'api',
    });
    expect(await logged(workspace.id)).toHaveLength(1);
  });

  it('that is invalid changes nothing', async () => {
    const workspace = await make();
    const problem = await problemOf(
      updateWorkspace(home.deps, workspace.id, { settings: { deliver: 'live' }, actor: 'api' }),
    );
    expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/settings/deliver' })]);
    expect(await readWorkspace(home.deps, workspace.id)).toEqual(workspace);
  });

  it('is refused if the file owns the settings', async () => {
    const workspace = await make({}, byFile);
    expect(await problemOf(updateWorkspace(home.deps, workspace.id, { name: 'mine', actor: 'api' }))).toMatchObject({
      code: 'owner.config',
    });
    await updateWorkspace(home.deps, workspace.id, { settings: { blockHours: 1 }, actor: 'config' });
  });

  it('of an unknown workspace is refused', async () => {
    expect(await problemOf(updateWorkspace(home.deps, 'aaaaaaaa', { actor: 'api' }))).toMatchObject({
      code: 'thing.unknown',
    });
  });
});

describe('the log and the row', () => {
  it('agree again after a crash between the two writes', async () => {
    const workspace = await make();
    // The state after a crash between commit and append.
    await home.pool.query(`update workspace set settings = settings || '{"blockHours": 2}' where id = $1`, [
      workspace.id,
    ]);
    expect(await syncAllSettings(home.deps)).toBe(1);
    expect((await logged(workspace.id)).at(-1)).toMatchObject(['settings', { blockMs: 7_200_000 }]);
    expect(await syncAllSettings(home.deps)).toBe(0);
  });

  it('are brought into agreement once, even by concurrent calls', async () => {
    const workspace = await make();
    await home.pool.query(`update workspace set settings = settings || '{"blockHours": 3}' where id = $1`, [
      workspace.id,
    ]);
    const appended = await Promise.all(Array.from({ length: 5 }, () => syncSettings(home.deps, workspace.id)));
    expect(appended.reduce((sum, one) => sum + one)).toBe(1);
  });
});

describe('the pepper', () => {
  it('can be exported and imported elsewhere', async () => {
    const [from, to] = [await make(), await make()];
    await replacePepper(home.deps, to.id, await exportPepper(home.deps, from.id));
    expect((await readWorkspace(home.deps, to.id)).secrets.pepper).toEqual(from.secrets.pepper);
    expect((await readWorkspace(home.deps, to.id)).secrets.data).toEqual(to.secrets.data);
  });

  it.each([31, 129])('with %i bytes is refused', async (length) => {
    const workspace = await make();
    expect(await problemOf(replacePepper(home.deps, workspace.id, Buffer.alloc(length, 1)))).toMatchObject({
      code: 'request.invalid',
    });
  });
});
