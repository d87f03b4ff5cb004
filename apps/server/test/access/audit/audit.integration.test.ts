import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { sealAuditKeyAnew } from '../../../src/access/audit/audit-key.ts';
import { appendAudit, appendAuditIn } from '../../../src/access/audit/audit-log.ts';
import { MasterKeys } from '../../../src/platform/secrets/master-keys.ts';
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
  it('records who logged in, and who failed to', async () => {
    const body = { email: 'boss@bank.example', password: 'not it' };
    await browser(kit).call('POST', '/session', { body, remoteAddress: '198.51.100.7' });
    await browser(kit).call('POST', '/session', { body: { email: password, password } });
    await browser(kit).call('POST', '/session', { body: { email: 'hunter2@typed.in', password } });
    const { items } = await audit('?action=logIn.refused');
    expect(items.map(({ actor }) => actor)).toEqual(['unknown', 'boss@bank.example']);
    expect((await audit('?action=openSession')).items).toMatchObject([{ actor: 'boss@bank.example' }]);
    expect(JSON.stringify((await audit()).items)).not.toContain('hunter2');
  });

  it('grows with failed log-ins only as fast as the rate limit admits them', async () => {
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

  it('records the values before and after', async () => {
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

  it('records programs as such, and contains no secret', async () => {
    await kit.at('POST', 'keys');
    const made = await kit.call('POST', '/accounts', { body: { email: 'new@bank.example', name: 'New', roles: [] } });
    const { token } = made.json<{ invitation: { token: string } }>().invitation;
    const text = JSON.stringify((await audit()).items);
    expect((await audit('?action=createKey')).items).toMatchObject([{ actor: 'admin token' }]);
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/rf_live_|correct horse/);
  });

  it('has no entry for a query that changes nothing', async () => {
    const path = `/workspaces/${kit.workspace.id}/policies/check`;
    const body = { files: [{ path: 'rules.yaml', text: 'rules: []' }] };
    expect((await boss.call('POST', path, { body })).statusCode).toBe(200);
    expect((await audit('?action=checkPolicy')).items).toEqual([]);
  });

  it('is paged, and filtered by time', async () => {
    const all = (await audit('?limit=200')).items;
    const first = await audit('?limit=2');
    const second = await audit(`?limit=2&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ seq }) => seq)).toEqual(all.slice(0, 4).map(({ seq }) => seq));
    expect((await audit('?to=2020-01-01')).items).toEqual([]);
  });

  it('records how a bulk change selected actions, and names no client', async () => {
    const path = `/workspaces/${kit.workspace.id}/actions/redeliver`;
    await boss.call('POST', path, { body: { state: 'dead', reason: 301, client: 'ana-the-client' } });
    const { items } = await audit('?action=redeliverActions');
    expect(items[0]).toMatchObject({ detail: { filter: { state: 'dead', reason: 301, client: 'unknown' } } });
    expect(JSON.stringify(items)).not.toContain('ana-the-client');
  });

  it('is verified on request, and the answer names the broken entry', async () => {
    const { broken, entries, head } = (await boss.call('GET', '/audit/verify')).json();
    expect(broken).toBeUndefined();
    expect(entries).toBe((await audit('?limit=1')).items[0]!.seq);
    expect(head).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is exported completely, oldest first, and the export is recorded as well', async () => {
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

  it('is for administrators: those of a workspace see only its entries', async () => {
    const local = await loggedIn(kit, { email: 'local@bank.example', roles: ['administrator'] });
    expect(problemOf(await local.call('GET', '/audit')).code).toBe('right.missing');
    const { items } = (await local.call('GET', `/workspaces/${kit.workspace.id}/audit`)).json<Entries>();
    expect(new Set(items.map(({ workspace }) => workspace))).toEqual(new Set([kit.workspace.id]));
  });

  it('is protected by the database against changes', async () => {
    for (const statement of [
      `update audit_entry set actor = 'nobody'`,
      `delete from audit_entry where seq = 1`,
      `truncate audit_entry`,
    ]) {
      await expect(kit.pool.query(statement)).rejects.toThrow('append-only');
    }
  });

  it('keeps its chain when many entries are appended at the same time', async () => {
    const entry = { atMs: Date.now(), workspaceId: undefined, actorKind: 'machine', actor: 'test' } as const;
    const rest = { action: 'test', target: undefined, address: '', requestId: '' };
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        appendAudit(kit.pool, kit.home.master, { ...entry, ...rest, detail: { i } }),
      ),
    );
    expect(await verifyAudit(kit.pool, kit.home.master)).toMatchObject({ broken: undefined });
  });

  /** An entry that the owner of the database could insert. */
  const copy = (seq: number): string => `insert into audit_entry
    select ${seq}, at, workspace_id, actor_kind, 'somebody else', action, target, address, request_id, detail, hash
      from audit_entry where seq = 5`;
  const renumber = (from: number, to: number): string => `update audit_entry set seq = ${to} where seq = ${from}`;
  it.each([
    ['inserted after the end', copy(1_000_000), 1_000_000],
    ['inserted before the first', copy(0), 0],
    ['made unreadable', `update audit_entry set detail = '{' where seq = 5`, 5],
    ['changed in its actor', `update audit_entry set actor = 'somebody else' where seq = 3`, 3],
    ['changed in its time', `update audit_entry set at = at + interval '1 second' where seq = 1`, 1],
    ['changed in its detail', `update audit_entry set detail = '{}' where seq = 4`, 4],
    ['removed', `delete from audit_entry where seq = 2`, 2],
    ['removed at the beginning', `delete from audit_entry where seq = 1`, 1],
    ['swapped with the next', `${renumber(2, -1)}; ${renumber(3, 2)}; ${renumber(-1, 3)}`, 2],
    ['removed at the end', `delete from audit_entry where seq = (select max(seq) from audit_entry)`, 'the last'],
    ['removed together with the head', `delete from audit_entry where seq > 2; update audit_head set seq = 2`, 2],
    [
      'cut off, with the head as it was by the entry',
      `delete from audit_entry where seq > 2;
       update audit_head h set seq = 2, hash = e.hash, signature = e.signature from audit_entry e where e.seq = 2`,
      2,
    ],
    ['left without its signature', `update audit_entry set signature = null where seq = 3`, 3],
    ['signed as another', `update audit_entry set signature = (select signature from audit_head) where seq = 3`, 3],
    ['left without the key', `update audit_key set from_seq = 1000`, 1],
  ])('detects an entry that was %s', async (_, statement, seq) => {
    const { rows } = await kit.pool.query<{ last: number }>(`select seq as last from audit_head`);
    const owner = await kit.pool.connect();
    try {
      await owner.query(
        `begin; alter table audit_entry disable trigger user; alter table audit_head disable trigger user`,
      );
      await owner.query(statement);
      expect((await verifyAudit(owner, kit.home.master)).broken?.seq).toBe(seq === 'the last' ? rows[0]!.last : seq);
    } finally {
      await owner.query(`rollback`);
      owner.release();
    }
    expect((await verifyAudit(kit.pool, kit.home.master)).broken).toBeUndefined();
  });

  it('says in an entry that it was cut off, when it is continued', async () => {
    const client = await kit.pool.connect();
    const entry = { atMs: Date.now(), workspaceId: undefined, actorKind: 'machine', actor: 'test' } as const;
    const rest = { action: 'test', target: undefined, address: '', requestId: '', detail: {} };
    try {
      await client.query(`begin; alter table audit_entry disable trigger user`);
      await client.query(`delete from audit_entry where seq > 2;
        update audit_head h set seq = 2, hash = e.hash, signature = e.signature from audit_entry e where e.seq = 2`);
      await appendAuditIn(client, kit.home.master, { ...entry, ...rest });
      const { rows } = await client.query(`select seq, action from audit_entry where seq > 2 order by seq`);
      expect(rows).toEqual([
        { seq: 3, action: 'audit.headWrong' },
        { seq: 4, action: 'test' },
      ]);
      expect((await verifyAudit(client, kit.home.master)).broken).toEqual({
        seq: 3,
        what: 'the chain was cut off before this entry',
      });
    } finally {
      await client.query(`rollback`);
      client.release();
    }
  });

  it('refuses entries without a signature, as an earlier release writes them', async () => {
    await expect(kit.pool.query(copy(1_000_000))).rejects.toThrow('a newer release signs the audit log');
  });

  it('keeps its signatures when the master key is replaced', async () => {
    const { master } = kit.home;
    const [next] = MasterKeys.load({ home: '', fromEnvironment: randomBytes(32).toString('hex') }).all();
    const both = MasterKeys.load({
      home: '',
      fromEnvironment: [...master.all(), next!].map(({ key }) => key.toString('hex')).join(' '),
    });
    const { entries } = await verifyAudit(kit.pool, master);
    await sealAuditKeyAnew(kit.pool, both, next!);
    try {
      expect(await verifyAudit(kit.pool, both)).toMatchObject({ entries, broken: undefined });
      await expect(verifyAudit(kit.pool, master)).rejects.toThrow(next!.id);
    } finally {
      await sealAuditKeyAnew(kit.pool, both, master.all()[0]!);
    }
  });
});
