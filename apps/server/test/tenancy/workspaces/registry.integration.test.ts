/** The life cycle of license keys, seen by two processes. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeLicenseKey } from '../../../src/platform/secrets/license-key.ts';
import { createKey, promoteKey, revokeKey } from '../../../src/tenancy/workspaces/key-rotation.ts';
import { listLicenseKeys } from '../../../src/tenancy/workspaces/license-keys.ts';
import { PostgresWorkspaceRegistry } from '../../../src/tenancy/workspaces/postgres-registry.ts';
import {
  createWorkspace,
  type MadeWorkspace,
  updateWorkspace,
} from '../../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { patience } from '../../../../../tools/testing/patience.ts';

let home: Installation;
let here: PostgresWorkspaceRegistry;
let there: PostgresWorkspaceRegistry;
const errors: unknown[] = [];
let nowMs = 1_700_000_000_000;

function openRegistry(): PostgresWorkspaceRegistry {
  const pool = home.anotherPool();
  return new PostgresWorkspaceRegistry({
    pool,
    master: home.master,
    now: () => nowMs,
    monotonicMs: () => nowMs,
    onError: (error) => errors.push(error),
  });
}

beforeAll(async () => {
  home = await makeInstallation();
  here = openRegistry();
  there = openRegistry();
  await Promise.all([here.start(home.anotherListener()), there.start(home.anotherListener())]);
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await home.close();
});

const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
let count = 0;
async function make(licenseKeys?: readonly string[]): Promise<MadeWorkspace> {
  const wanted = {
    name: `bank ${++count}`,
    environment: 'production',
    owners,
    ...(licenseKeys && { licenseKeys }),
  } as const;
  const made = await createWorkspace(home.deps, wanted);
  await Promise.all([here.refresh(), there.refresh()]);
  return made;
}

describe('a key', () => {
  it('authenticates its workspace in its environment, and nothing else', async () => {
    const { workspace, keys } = await make();
    const key = keys[0]!.text;
    expect(here.authenticate(key, 'production')).toMatchObject({ keyId: keys[0]!.id, workspace: { id: workspace.id } });
    expect(here.authenticate(key, 'development')).toBeUndefined();
    for (const wrong of ['', `${key} `, key.slice(0, -1), key.toUpperCase(), makeLicenseKey('production')]) {
      expect(here.authenticate(wrong, 'production')).toBeUndefined();
    }
  });

  it('that a bank already has works unchanged', async () => {
    const text = 'old vendor key: {6F9619FF-8B86-D011} #42';
    const { workspace } = await make([text]);
    expect(here.authenticate(text, 'production')?.workspace.id).toBe(workspace.id);
    expect(here.sendingKey(workspace.id)).toBe(text);
  });

  it('belongs to one workspace only', async () => {
    const { keys } = await make();
    await expect(make([keys[0]!.text])).rejects.toMatchObject({ code: 'state.conflict' });
  });
});

describe('rotation', () => {
  it('allows two live keys; the sent one changes only by promote; no request fails', async () => {
    const { workspace, keys } = await make();
    const first = keys[0]!;
    const second = await createKey(home.deps, workspace.id);
    await here.refresh();
    expect(here.sendingKey(workspace.id)).toBe(first.text);
    expect([first, second].map(({ text }) => here.authenticate(text, 'production')?.keyId)).toEqual([
      first.id,
      second.id,
    ]);

    await promoteKey(home.deps, workspace.id, second.id);
    await here.refresh();
    expect(here.sendingKey(workspace.id)).toBe(second.text);
    expect(here.authenticate(first.text, 'production')).toBeDefined();

    await revokeKey(home.deps, workspace.id, { id: first.id, force: false });
    await here.refresh();
    expect(here.authenticate(first.text, 'production')).toBeUndefined();
    expect(here.authenticate(second.text, 'production')).toBeDefined();
    expect((await listLicenseKeys(home.pool, workspace.id)).map(({ state }) => state)).toEqual(['revoked', 'sent']);
  });

  it('refuses a third live key', async () => {
    const { workspace } = await make();
    await createKey(home.deps, workspace.id);
    await expect(createKey(home.deps, workspace.id)).rejects.toMatchObject({ code: 'state.conflict' });
  });

  it('allows at most two live keys even if they are created concurrently', async () => {
    const { workspace } = await make();
    const made = await Promise.allSettled([1, 2, 3].map(() => createKey(home.deps, workspace.id)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('does not revoke the sent key unless forced; webhooks then wait for the next', async () => {
    const { workspace, keys } = await make();
    const revoke = { id: keys[0]!.id, force: false };
    await expect(revokeKey(home.deps, workspace.id, revoke)).rejects.toMatchObject({ code: 'state.conflict' });
    await revokeKey(home.deps, workspace.id, { ...revoke, force: true });
    await here.refresh();
    expect(here.sendingKey(workspace.id)).toBeUndefined();
    const next = await createKey(home.deps, workspace.id);
    await here.refresh();
    expect(here.sendingKey(workspace.id)).toBe(next.text);
  });
});

describe('a revoked key', () => {
  it('is soon refused by every process', async () => {
    const { workspace, keys } = await make();
    expect(there.authenticate(keys[0]!.text, 'production')).toBeDefined();
    await revokeKey(home.deps, workspace.id, { id: keys[0]!.id, force: true });
    await vi.waitFor(() => expect(there.authenticate(keys[0]!.text, 'production')).toBeUndefined(), patience);
  });

  it('is soon refused even if notifications are lost', async () => {
    const { workspace, keys } = await make();
    await home.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %' and pid <> pg_backend_pid() and datname = current_database()`,
    );
    await revokeKey(home.deps, workspace.id, { id: keys[0]!.id, force: true });
    await vi.waitFor(() => {
      expect(here.authenticate(keys[0]!.text, 'production')).toBeUndefined();
      expect(there.authenticate(keys[0]!.text, 'production')).toBeUndefined();
    }, patience);
  });

  it('cannot be used again, neither by promotion nor by creating it again', async () => {
    const text = 'brought along once, revoked, and brought along again';
    const { workspace, keys } = await make([text]);
    await revokeKey(home.deps, workspace.id, { id: keys[0]!.id, force: true });
    await expect(promoteKey(home.deps, workspace.id, keys[0]!.id)).rejects.toMatchObject({ code: 'state.conflict' });
    await expect(createKey(home.deps, workspace.id, text)).rejects.toMatchObject({ code: 'state.conflict' });
  });

  it('leaves no encrypted copy', async () => {
    const { workspace, keys } = await make();
    await revokeKey(home.deps, workspace.id, { id: keys[0]!.id, force: true });
    const found = await home.pool.query(`select sealed from license_key where id = $1`, [keys[0]!.id]);
    expect(found.rows).toEqual([{ sealed: null }]);
  });
});

describe('the registry of a process', () => {
  it('follows a change of settings, and keeps unchanged workspaces as the same objects', async () => {
    const [changed, untouched] = [await make(), await make()];
    const before = there.byId(untouched.workspace.id);
    const heard = vi.fn<() => void>();
    const unlisten = there.onChange(heard);
    await updateWorkspace(home.deps, changed.workspace.id, { settings: { timezone: 'Asia/Tokyo' }, actor: 'api' });
    await vi.waitFor(() => expect(there.byId(changed.workspace.id)?.settings.timezone).toBe('Asia/Tokyo'), patience);
    expect(there.byId(untouched.workspace.id)).toBe(before);
    expect(heard).toHaveBeenCalled();
    unlisten();
  });

  it('reports how stale it is', async () => {
    await here.refresh();
    nowMs += 1_234;
    expect(here.staleMs()).toBe(1_234);
  });

  it('records when a key was last used', async () => {
    const { workspace, keys } = await make();
    const registry = openRegistry();
    await registry.start(home.anotherListener());
    registry.authenticate(keys[0]!.text, 'production');
    const lastUse = async (): Promise<number | undefined> =>
      (await listLicenseKeys(home.pool, workspace.id))[0]!.lastUsedAtMs;
    // The first use is written immediately; later ones are written together.
    await expect.poll(lastUse, { timeout: 5_000 }).toBe(nowMs);
    const first = nowMs;
    nowMs += 1_000;
    registry.authenticate(keys[0]!.text, 'production');
    expect(await lastUse()).toBe(first);
    await registry.close();
    expect(await lastUse()).toBe(nowMs);
  });
});
