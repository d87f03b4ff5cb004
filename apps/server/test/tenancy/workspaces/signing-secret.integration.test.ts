/** The rotation of a workspace's signing secret, seen by two processes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PostgresWorkspaceRegistry } from '../../../src/tenancy/workspaces/postgres-registry.ts';
import {
  retireSigningSecret,
  rotateSigningSecret,
  signingSecrets,
} from '../../../src/tenancy/workspaces/signing-secret.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

const hourMs = 3_600_000;

let home: Installation;
let there: PostgresWorkspaceRegistry;
beforeAll(async () => {
  home = await makeInstallation();
  const onError = (error: unknown): never => {
    throw error;
  };
  there = new PostgresWorkspaceRegistry({ pool: home.anotherPool(), master: home.master, now: Date.now, onError });
  await there.start(home.anotherListener());
});
afterAll(async () => {
  await there.close();
  await home.close();
});

let id: string;
let first: Buffer;
let count = 0;
beforeEach(async () => {
  const owners = { settings: 'config', keys: 'config', policy: 'config' } as const;
  const made = await createWorkspace(home.deps, { name: `bank ${++count}`, environment: 'production', owners });
  id = made.workspace.id;
  first = made.workspace.secrets.webhook;
});

/** The secrets that sign in the other process, once it has followed. */
async function signing(afterMs = 0): Promise<readonly Buffer[]> {
  await there.refresh();
  return signingSecrets(there.byId(id)!, Date.now() + afterMs);
}

async function rowsOf(): Promise<number> {
  const text = `select count(*)::integer as count from workspace_secret where workspace_id = $1 and name = 'webhook'`;
  return (await home.pool.query<{ count: number }>(text, [id])).rows[0]!.count;
}

describe('a signing secret', () => {
  it('is the only one to sign until it is replaced', async () => {
    expect(await signing()).toEqual([first]);
  });

  it('also signs during the overlap, and then stops', async () => {
    const { secret, beforeUntilMs } = await rotateSigningSecret(home.deps, id, 24);
    expect(secret).toHaveLength(32);
    expect(Math.abs(beforeUntilMs! - Date.now() - 24 * hourMs)).toBeLessThan(60_000);
    expect(await signing()).toEqual([secret, first]);
    expect(await signing(24 * hourMs - 60_000)).toEqual([secret, first]);
    expect(await signing(24 * hourMs + 60_000)).toEqual([secret]);
  });

  it('can be retired earlier, and is then deleted', async () => {
    const { secret } = await rotateSigningSecret(home.deps, id, 24);
    expect(await retireSigningSecret(home.deps, id)).toBe(true);
    expect(await signing()).toEqual([secret]);
    expect(await rowsOf()).toBe(1);
    expect(await retireSigningSecret(home.deps, id)).toBe(false);
  });

  it('can be replaced immediately although an overlap was set', async () => {
    const { secret } = await rotateSigningSecret(home.deps, id, 24);
    expect(await signing(2 * hourMs)).toHaveLength(2);
    await home.pool.query(
      `update workspace_secret set signs_until = now() + interval '1 hour' where workspace_id = $1 and signs_until is not null`,
      [id],
    );
    expect(await signing(2 * hourMs)).toEqual([secret]);
  });

  it('that leaked stops signing immediately, and so does a previous one', async () => {
    await rotateSigningSecret(home.deps, id, 24);
    const { secret, beforeUntilMs } = await rotateSigningSecret(home.deps, id, 0);
    expect(beforeUntilMs).toBeUndefined();
    expect(await signing()).toEqual([secret]);
    expect(await rowsOf()).toBe(1);
  });

  it('cannot be replaced while two sign', async () => {
    await rotateSigningSecret(home.deps, id, 24);
    await expect(rotateSigningSecret(home.deps, id, 24)).rejects.toMatchObject({ code: 'state.conflict' });
    await retireSigningSecret(home.deps, id);
    await expect(rotateSigningSecret(home.deps, id, 24)).resolves.toBeDefined();
  });

  it('can be replaced again after the overlap has ended', async () => {
    const { secret: second } = await rotateSigningSecret(home.deps, id, 24);
    await home.pool.query(`update workspace_secret set signs_until = now() where signs_until is not null`);
    expect(await signing()).toEqual([second]);
    const { secret: third } = await rotateSigningSecret(home.deps, id, 24);
    expect(await signing()).toEqual([third, second]);
    expect(await rowsOf()).toBe(2);
  });
});
