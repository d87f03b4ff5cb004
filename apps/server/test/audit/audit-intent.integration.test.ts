/** Whatever ends between a change and its entry: no change is without one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { managementKit, type ManagementKit, problemOf } from '../management/support/management-kit.ts';

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

/** What is there after a minute, when the process that began it has ended. */
async function aMinuteLater(): Promise<void> {
  await kit.pool.query(`update audit_intent set at = at - interval '2 minutes'`);
}

describe('a change through the management API', () => {
  it('leaves its entry and nothing else', async () => {
    expect((await block(48)).statusCode).toBe(200);
    expect(await entries('changeWorkspace')).toMatchObject([{ detail: { after: { settings: { blockHours: 48 } } } }]);
    expect(await intents()).toBe(0);
  });

  it('leaves no entry when it was refused', async () => {
    expect(problemOf(await kit.at('POST', 'policies/99/activate')).code).toBe('thing.unknown');
    await aMinuteLater();
    expect([await entries('activatePolicy'), await intents()]).toEqual([[], 0]);
  });

  it('has an entry although the process ended behind the change', async () => {
    await kit.pool.query(`
      create function end_here() returns trigger language plpgsql as $$ begin raise exception 'the process ends'; end $$;
      create trigger end_here before insert on audit_entry for each row execute function end_here()`);
    expect((await block(72)).statusCode).toBe(500);
    await kit.pool.query(`drop trigger end_here on audit_entry; drop function end_here()`);
    expect([await blocked(), await intents()]).toEqual([72, 1]);
    expect(await entries('changeWorkspace')).toHaveLength(1);
    await aMinuteLater();
    expect(await entries('changeWorkspace')).toMatchObject([{ detail: { unfinished: true } }, {}]);
    expect([await intents(), (await verifyAudit(kit.pool)).broken]).toEqual([0, undefined]);
  });
});
