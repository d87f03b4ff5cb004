/** Whatever crashes between a change and its entry: no change is without an entry. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { noteIntent } from '../../../src/access/audit/audit-intent.ts';
import { auditedChange, auditEntry } from '../../../src/access/audit/audited-change.ts';
import { verifyAudit } from '../../../src/access/audit/verify-audit.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';

let kit: ManagementKit;

beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

interface Entry {
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const entries = async (action: string): Promise<readonly Entry[]> =>
  (await kit.call('GET', `/audit?action=${action}`)).json<{ items: readonly Entry[] }>().items;
const intents = async (): Promise<number> =>
  (await kit.pool.query<{ count: number }>(`select count(*)::integer as count from audit_intent`)).rows[0]!.count;
const path = (): string => `/workspaces/${kit.workspace.id}`;
const block = (blockHours: number): ReturnType<ManagementKit['call']> =>
  kit.call('PATCH', path(), { body: { settings: { blockHours } } });
const blocked = async (): Promise<number> =>
  (await kit.call('GET', path())).json<{ settings: { blockHours: number } }>().settings.blockHours;

/** Makes the intents two minutes older, as if their process had ended. */
async function aMinuteLater(): Promise<void> {
  await kit.pool.query(`update audit_intent set at = at - interval '2 minutes'`);
}

describe('a change that takes longer than a minute', () => {
  const by = { actorKind: 'person', actor: 'os:ana', address: '', requestId: '' } as const;
  const action = { action: 'importHistory' };
  const isFresh = async (): Promise<boolean> =>
    (await kit.pool.query(`select 1 from audit_intent where at > now() - interval '1 minute'`)).rowCount === 1;

  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('has one entry, although another process checked meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const made = auditedChange(
      { pool: kit.pool, master: kit.home.master, now: Date.now },
      { by, action: () => action },
      () => promise,
    );
    await expect.poll(intents).toBe(1);
    await aMinuteLater();
    vi.advanceTimersByTime(10_000);
    await expect.poll(isFresh).toBe(true);
    expect(await entries('importHistory')).toEqual([]);
    resolve();
    await made;
    expect(await entries('importHistory')).toMatchObject([{ detail: {} }]);
    expect([await intents(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('is unfinished a minute after its process was killed', async () => {
    await noteIntent(kit.pool, auditEntry(Date.now(), by, action));
    vi.advanceTimersByTime(60_000);
    await aMinuteLater();
    expect(await entries('importHistory')).toMatchObject([{ detail: { unfinished: true } }, {}]);
  });
});

describe('a change through the management API', () => {
  it('leaves its entry and nothing else', async () => {
    expect((await block(48)).statusCode).toBe(200);
    expect(await entries('changeWorkspace')).toMatchObject([{ detail: { after: { settings: { blockHours: 48 } } } }]);
    expect(await intents()).toBe(0);
  });

  it('leaves no entry if it was refused', async () => {
    expect(problemOf(await kit.at('POST', 'policies/99/activate')).code).toBe('thing.unknown');
    await aMinuteLater();
    expect([await entries('activatePolicy'), await intents()]).toEqual([[], 0]);
  });

  it('has an entry although the process ended after the change', async () => {
    await kit.pool.query(`
      create function end_here() returns trigger language plpgsql as $$ begin raise exception 'the process ends'; end $$;
      create trigger end_here before insert on audit_entry for each row execute function end_here()`);
    expect((await block(72)).statusCode).toBe(500);
    await kit.pool.query(`drop trigger end_here on audit_entry; drop function end_here()`);
    expect([await blocked(), await intents()]).toEqual([72, 1]);
    expect(await entries('changeWorkspace')).toHaveLength(1);
    await aMinuteLater();
    expect(await entries('changeWorkspace')).toMatchObject([{ detail: { unfinished: true } }, {}]);
    expect([await intents(), (await verifyAudit(kit.pool, kit.home.master)).broken]).toEqual([0, undefined]);
  });

  it('is recorded although it renames the workspace that its path names', async () => {
    const created = await kit.call('POST', '/workspaces', { body: { name: 'before', environment: 'production' } });
    const { id } = created.json<{ id: string }>();
    const renamed = await kit.call('PATCH', '/workspaces/before:production', { body: { name: 'after' } });
    expect(renamed.statusCode).toBe(200);
    expect(await entries('changeWorkspace')).toMatchObject([{ workspace: id }, {}, {}]);
  });
});
