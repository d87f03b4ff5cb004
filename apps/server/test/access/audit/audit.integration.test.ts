import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendAudit } from '../../../src/access/audit/audit-log.ts';
import { verifyAudit } from '../../../src/access/audit/verify-audit.ts';
import { browser, loggedIn, password, type Browser } from '../accounts/support/browser.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';

let kit: ManagementKit;
let boss: Browser;

beforeAll(async () => {
  kit = await managementKit();
  boss = await loggedIn(kit, { email: 'boss@bank.example', roles: ['administrator'], workspace: '*' });
});

afterAll(() => kit.close());

interface Entries {
  readonly items: readonly {
    readonly seq: number;
    readonly action: string;
    readonly actor: string;
    readonly target?: string;
    readonly address: string;
    readonly workspace?: string;
    readonly detail: Readonly<Record<string, unknown>>;
  }[];
  readonly next?: string;
}

const audit = async (query = ''): Promise<Entries> => (await boss.call('GET', `/audit${query}`)).json();

describe('the audit log', () => {
  it('says who logged in, and who could not', async () => {
    const body = { email: 'boss@bank.example', password: 'not it' };
    await browser(kit).call('POST', '/session', { body, remoteAddress: '198.51.100.7' });
    await browser(kit).call('POST', '/session', { body: { email: password, password } });
    await browser(kit).call('POST', '/session', { body: { email: 'hunter2@typed.in', password } });
    const { items } = await audit('?action=logIn.refused');
    expect(items.map(({ actor }) => actor)).toEqual(['unknown', 'boss@bank.example']);
    expect((await audit('?action=openSession')).items).toMatchObject([{ actor: 'boss@bank.example' }]);
    expect(JSON.stringify((await audit()).items)).not.toContain('hunter2');
  });

  it('grows by tries to log in no faster than they are let through', async () => {
    const refused = async (): Promise<readonly unknown[]> => {
      const { items } = await audit('?action=logIn.refused&limit=200');
      return items.filter(({ address }) => address === '198.51.100.9').map(({ detail }) => detail['why']);
    };
    const flood = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const body = { email: `guess-${i}@bank.example`, password };
        await browser(kit).call('POST', '/session', { body, remoteAddress: '198.51.100.9' });
      }
    };
    kit.standStill();
    const firstTen = Array.from({ length: 10 }, () => 'login.refused');
    await flood();
    expect(await refused()).toEqual(['rate.limited', ...firstTen]);
    kit.pass(60_000);
    await flood();
    expect(await refused()).toEqual(['rate.limited', 'login.refused', 'rate.limited', ...firstTen]);
  });

  it('says what was before and after', async () => {
    const path = `/workspaces/${kit.workspace.id}`;
    await boss.call('PATCH', path, { body: { settings: { blockHours: 48 } } });
    const { items } = (await boss.call('GET', `${path}/audit`)).json<Entries>();
    expect(items[0]).toMatchObject({
      action: 'changeWorkspace',
      actor: 'boss@bank.example',
      workspace: kit.workspace.id,
      detail: { before: { settings: { blockHours: 24 } }, after: { settings: { blockHours: 48 } } },
    });
  });

  it('names programs as such, and holds no secret', async () => {
    await kit.at('POST', 'keys');
    const made = await kit.call('POST', '/accounts', { body: { email: 'new@bank.example', name: 'New', roles: [] } });
    const { token } = made.json<{ invitation: { token: string } }>().invitation;
    const text = JSON.stringify((await audit()).items);
    expect((await audit('?action=createKey')).items).toMatchObject([{ actor: 'admin token' }]);
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/rf_live_|correct horse/);
  });

  it('has no entry of a question that changes nothing', async () => {
    const path = `/workspaces/${kit.workspace.id}/policies/check`;
    const body = { files: [{ path: 'rules.yaml', text: 'rules: []' }] };
    expect((await boss.call('POST', path, { body })).statusCode).toBe(200);
    expect((await audit('?action=checkPolicy')).items).toEqual([]);
  });

  it('is walked page by page, and found by time', async () => {
    const all = (await audit('?limit=200')).items;
    const first = await audit('?limit=2');
    const second = await audit(`?limit=2&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ seq }) => seq)).toEqual(all.slice(0, 4).map(({ seq }) => seq));
    expect((await audit('?to=2020-01-01')).items).toEqual([]);
  });

  it('says what many actions were changed by, and names no client', async () => {
    const path = `/workspaces/${kit.workspace.id}/actions/redeliver`;
    await boss.call('POST', path, { body: { state: 'dead', reason: 301, client: 'ana-the-client' } });
    const { items } = await audit('?action=redeliverActions');
    expect(items[0]).toMatchObject({ detail: { filter: { state: 'dead', reason: 301, client: 'unknown' } } });
    expect(JSON.stringify(items)).not.toContain('ana-the-client');
  });

  it('is verified on demand, and told where it broke', async () => {
    const { broken, entries, head } = (await boss.call('GET', '/audit/verify')).json();
    expect(broken).toBeUndefined();
    expect(entries).toBe((await audit('?limit=1')).items[0]!.seq);
    expect(head).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is exported whole, oldest first, and that is an entry as well', async () => {
    const file = await boss.call('GET', '/audit/export');
    expect(file.headers['content-disposition']).toBe('attachment; filename="ringfence-audit.jsonl"');
    const lines = file.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entries['items'][number]);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i + 1));
    expect(lines.at(-1)).toMatchObject({ action: 'exportAudit', actor: 'boss@bank.example' });
    const own = await boss.call('GET', `/workspaces/${kit.workspace.id}/audit/export?action=changeWorkspace`);
    const [first] = own.body.trimEnd().split('\n');
    expect(JSON.parse(first!)).toMatchObject({ action: 'changeWorkspace', workspace: kit.workspace.id });
  });

  it('is for administrators: those of a workspace see their own', async () => {
    const local = await loggedIn(kit, { email: 'local@bank.example', roles: ['administrator'] });
    expect(problemOf(await local.call('GET', '/audit')).code).toBe('right.missing');
    const { items } = (await local.call('GET', `/workspaces/${kit.workspace.id}/audit`)).json<Entries>();
    expect(new Set(items.map(({ workspace }) => workspace))).toEqual(new Set([kit.workspace.id]));
  });

  it('is refused by the database to whoever wants to change it', async () => {
    for (const statement of [
      `update audit_entry set actor = 'nobody'`,
      `delete from audit_entry where seq = 1`,
      `truncate audit_entry`,
    ]) {
      await expect(kit.pool.query(statement)).rejects.toThrow('append-only');
    }
  });

  it('keeps its chain when many append at once', async () => {
    const entry = { atMs: Date.now(), workspaceId: undefined, actorKind: 'machine', actor: 'test' } as const;
    const rest = { action: 'test', target: undefined, address: '', requestId: '' };
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => appendAudit(kit.pool, { ...entry, ...rest, detail: { i } })),
    );
    expect(await verifyAudit(kit.pool)).toMatchObject({ broken: undefined });
  });

  /** What somebody could do who is the owner of the database. */
  const copy = (seq: number): string => `insert into audit_entry
    select ${seq}, at, workspace_id, actor_kind, 'somebody else', action, target, address, request_id, detail, hash
      from audit_entry where seq = 5`;
  const renumber = (from: number, to: number): string => `update audit_entry set seq = ${to} where seq = ${from}`;
  it.each([
    ['put in behind the end', copy(1_000_000), 1_000_000],
    ['put in before the first', copy(0), 0],
    ['made unreadable', `update audit_entry set detail = '{' where seq = 5`, 5],
    ['changed in who it was', `update audit_entry set actor = 'somebody else' where seq = 3`, 3],
    ['changed in when it was', `update audit_entry set at = at + interval '1 second' where seq = 1`, 1],
    ['changed in its detail', `update audit_entry set detail = '{}' where seq = 4`, 4],
    ['taken out', `delete from audit_entry where seq = 2`, 2],
    ['taken out at the begin', `delete from audit_entry where seq = 1`, 1],
    ['exchanged with the next', `${renumber(2, -1)}; ${renumber(3, 2)}; ${renumber(-1, 3)}`, 2],
    ['taken from the end', `delete from audit_entry where seq = (select max(seq) from audit_entry)`, 'the last'],
    ['taken with the end', `delete from audit_entry where seq > 2; update audit_head set seq = 2`, 2],
  ])('shows an entry that was %s', async (_, statement, seq) => {
    const { rows } = await kit.pool.query<{ last: number }>(`select seq as last from audit_head`);
    const owner = await kit.pool.connect();
    try {
      await owner.query(
        `begin; alter table audit_entry disable trigger user; alter table audit_head disable trigger user`,
      );
      await owner.query(statement);
      expect((await verifyAudit(owner)).broken?.seq).toBe(seq === 'the last' ? rows[0]!.last : seq);
    } finally {
      await owner.query(`rollback`);
      owner.release();
    }
    expect((await verifyAudit(kit.pool)).broken).toBeUndefined();
  });
});
