import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/access/tokens/api-tokens.ts';
import { readPolicyFolder } from '../../src/config/policy-folder.ts';
import { starterPolicyFolder } from '../../src/config/first-start.ts';
import { browser, type Browser, loggedIn, password } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let author: Browser;
let both: Browser;
let approver: Browser;
const files = readPolicyFolder(starterPolicyFolder).map((file) => ({ ...file, text: `${file.text}\n# changed\n` }));

beforeAll(async () => {
  kit = await managementKit();
  author = await loggedIn(kit, { email: 'author@bank.example', roles: ['author'] });
  approver = await loggedIn(kit, { email: 'approver@bank.example', roles: ['approver'] });
  both = await loggedIn(kit, { email: 'both@bank.example', roles: ['author', 'approver'] });
  await kit.call('PATCH', `/workspaces/${kit.workspace.id}`, { body: { settings: { fourEyes: true } } });
});

afterAll(() => kit.close());

const path = (rest: string): string => `/workspaces/${kit.workspace.id}/policies${rest}`;

interface Link {
  readonly token: string;
}

interface Asked {
  readonly id: string;
  readonly version: number;
  readonly state: string;
  readonly accounts: readonly unknown[];
}

const ask = async (window: Browser, body: object): Promise<Asked> =>
  (await window.call('POST', path('/requests'), { body })).json();
const active = async (): Promise<number | undefined> =>
  (await kit.get<{ items: { version: number; active: boolean }[] }>('policies')).items.find((one) => one.active)
    ?.version;

describe('policy requests with four eyes', () => {
  it('keep anyone from activating a policy alone, even a program', async () => {
    const apply = { body: { files, author: 'x' } };
    expect(problemOf(await author.call('POST', path(''), apply)).code).toBe('state.conflict');
    expect(problemOf(await kit.at('POST', 'policies', apply)).code).toBe('state.conflict');
    expect(problemOf(await kit.at('POST', 'policies/1/activate')).code).toBe('state.conflict');
    expect(await active()).toBe(1);
  });

  it('store a version that decides nothing until another person approves it', async () => {
    const asked = await ask(author, { files, comment: 'raise 301' });
    expect(asked).toMatchObject({ version: 2, state: 'open', askedBy: 'author@bank.example' });
    expect(await active()).toBe(1);
    const approve = path(`/requests/${asked.id}/approve`);
    expect(problemOf(await author.call('POST', approve)).code).toBe('right.missing');
    expect(problemOf(await kit.call('POST', approve)).code).toBe('right.missing');
    const approved = await approver.call('POST', approve, { body: { comment: 'looks right' } });
    expect(approved.json()).toMatchObject({ state: 'approved', answeredBy: 'approver@bank.example' });
    expect(await active()).toBe(2);
    expect(problemOf(await both.call('POST', approve)).code).toBe('state.conflict');
    const audited = await kit.pool.query<{ actor: string; detail: string }>(
      `select actor, detail from audit_entry where action = 'approvePolicyRequest'`,
    );
    expect(audited.rows.map(({ actor, detail }) => ({ actor, ...(JSON.parse(detail) as object) }))).toEqual([
      {
        actor: 'approver@bank.example',
        version: 2,
        askedBy: 'author@bank.example',
        before: 1,
        accounts: ['author', 'approver'].map((name) => ({
          account: `${name}@bank.example`,
          madeBy: 'admin token',
          madeAt: expect.any(String) as unknown,
        })),
      },
    ]);
  });

  it('need two people, whatever roles one has', async () => {
    const asked = await ask(both, { version: 1, comment: 'back' });
    expect(problemOf(await both.call('POST', path(`/requests/${asked.id}/approve`))).code).toBe('right.missing');
    expect(problemOf(await author.call('POST', path(`/requests/${asked.id}/withdraw`))).code).toBe('right.missing');
    expect((await both.call('POST', path(`/requests/${asked.id}/withdraw`))).json()).toMatchObject({
      state: 'withdrawn',
    });
  });

  it('show that one of the two accounts was created by the other person', async () => {
    const root = await loggedIn(kit, { email: 'root@bank.example', roles: ['administrator'], workspace: '*' });
    const account = { email: 'second@bank.example', name: 'Second', roles: [{ workspace: '*', roles: ['approver'] }] };
    const made = (await root.call('POST', '/accounts', { body: account })).json<{ id: string; invitation: Link }>();
    const second = browser(kit);
    await second.call('POST', '/session/invitation', { body: { token: made.invitation.token, password } });
    await second.call('POST', '/session', { body: { email: account.email, password } });
    const asked = await ask(root, { version: 1 });
    expect((await second.call('POST', path(`/requests/${asked.id}/refuse`))).statusCode).toBe(200);
    await root.call('POST', `/accounts/${made.id}/invite`);
    const { items } = (await approver.call('GET', path('/requests'))).json<{ items: Asked[] }>();
    expect(items.find(({ id }) => id === asked.id)).toMatchObject({
      accounts: expect.arrayContaining([
        expect.objectContaining({ account: account.email, madeBy: 'root@bank.example', linkBy: 'root@bank.example' }),
        expect.objectContaining({ account: 'root@bank.example', madeBy: 'admin token' }),
      ]) as unknown,
    });
  });

  it('are backtested against the live version for the approver, who may start no other backtest', async () => {
    const asked = await ask(author, { version: 1, comment: 'tried first' });
    const backtest = path(`/requests/${asked.id}/backtest`);
    expect(problemOf(await author.call('POST', backtest)).code).toBe('right.missing');
    const started = await approver.call('POST', backtest);
    expect(started.statusCode).toBe(202);
    const number = started.json<{ backtest: number }>().backtest;
    const { items } = (await approver.call('GET', path('/requests'))).json<{ items: Asked[] }>();
    expect(items.find(({ id }) => id === asked.id)).toMatchObject({ backtest: number });
    const of = `/workspaces/${kit.workspace.id}/backtests/${number}`;
    const read = async (): Promise<object> => (await approver.call('GET', of)).json();
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ state: 'done', policyVersion: 1, against: 2 });
    expect(problemOf(await approver.call('POST', path('/requests/req_none/backtest'))).code).toBe('thing.unknown');
    await author.call('POST', path(`/requests/${asked.id}/withdraw`));
    await kit.pool.query(`delete from policy_request where id = $1`, [asked.id]);
  });

  it('ignore a comment of spaces', async () => {
    const asked = await ask(author, { version: 1 });
    const refused = await approver.call('POST', path(`/requests/${asked.id}/refuse`), { body: { comment: '  ' } });
    expect(refused.json()).toMatchObject({ state: 'refused', answer: '' });
    await kit.pool.query(`delete from policy_request where id = $1`, [asked.id]);
  });

  it('can be refused, with a reason', async () => {
    const asked = await ask(author, { version: 1 });
    expect(problemOf(await author.call('POST', path('/requests'), { body: { version: 1 } })).code).toBe(
      'state.conflict',
    );
    const refused = await approver.call('POST', path(`/requests/${asked.id}/refuse`), {
      body: { comment: 'too strict' },
    });
    expect(refused.json()).toMatchObject({ state: 'refused', answer: 'too strict' });
    expect(await active()).toBe(2);
    const listed = (await author.call('GET', path('/requests'))).json<{ items: Asked[] }>().items;
    expect(listed.map(({ state }) => state)).toEqual(['refused', 'refused', 'withdrawn', 'approved']);
    // Each request lists an account once.
    expect(listed.map(({ accounts }) => accounts.length)).toEqual([2, 2, 1, 2]);
  });

  it('start the requested backfill after an approval', async () => {
    const feature = 'features: { paid: { count: true, by: client.id, over: 7d } }\n';
    const rules = `rules:\n  - { reason: 1, name: one, when: paid > 3, then: { action: 2 } }\n`;
    const body = { files: [{ path: 'rules.yaml', text: `${feature}${rules}` }], warmFrom: { since: '2026-01-01' } };
    const asked = await ask(author, body);
    expect(asked).toMatchObject({ state: 'open', warmFrom: { since: '2026-01-01', history: [] } });
    expect((await kit.get<{ items: object[] }>('policy-starts')).items).toEqual([]);
    await approver.call('POST', path(`/requests/${asked.id}/approve`));
    const { items } = await kit.get<{ items: object[] }>('policy-starts');
    expect(items).toMatchObject([{ version: asked.version }]);
    const unknown = { version: 1, warmFrom: { history: ['no such'] } };
    expect(problemOf(await author.call('POST', path('/requests'), { body: unknown })).code).toBe('thing.unknown');
  });

  it('stay open while the requested version cannot be activated', async () => {
    const asked = await ask(author, { version: 2, warmFrom: { since: '2026-01-01' } });
    const approve = path(`/requests/${asked.id}/approve`);
    const isOpen = async () => {
      const { items } = (await author.call('GET', path('/requests'))).json<{ items: Asked[] }>();
      return items.find(({ id }) => id === asked.id)?.state === 'open';
    };
    const before = await active();
    // The history was removed meanwhile.
    const warmed = `update policy_request set warm_from = $2 where id = $1`;
    await kit.pool.query(warmed, [asked.id, { history: ['gone'] }]);
    expect(problemOf(await approver.call('POST', approve)).code).toBe('thing.unknown');
    expect(await isOpen()).toBe(true);
    await kit.pool.query(warmed, [asked.id, null]);
    // This release rejects the version.
    const written = `update policy_version set files = $3 where workspace_id = $1 and version = $2`;
    const kept = await kit.pool.query<{ files: unknown }>(
      `select files from policy_version where workspace_id = $1 and version = 2`,
      [kit.workspace.id],
    );
    await kit.pool.query(written, [kit.workspace.id, 2, JSON.stringify([{ path: 'a.yaml', text: 'rules: 1' }])]);
    expect(problemOf(await approver.call('POST', approve)).code).toBe('policy.invalid');
    expect(await isOpen()).toBe(true);
    expect(await active()).toBe(before);
    await kit.pool.query(written, [kit.workspace.id, 2, JSON.stringify(kept.rows[0]!.files)]);
    expect((await approver.call('POST', approve)).json()).toMatchObject({ state: 'approved' });
    expect(await active()).toBe(2);
  });

  it('cannot be approved if they were compared with a version that is no longer active', async () => {
    const before = (await active())!;
    const asked = await ask(author, { version: 1 });
    const approve = path(`/requests/${asked.id}/approve`);
    const late = problemOf(await approver.call('POST', approve, { body: { ifVersion: before + 7 } }));
    expect(late).toMatchObject({ code: 'state.conflict', detail: expect.stringContaining(`Version ${before}`) });
    expect(await active()).toBe(before);
    // The request stays open: a person who has compared again can approve it.
    const seen = await approver.call('POST', approve, { body: { ifVersion: before } });
    expect(seen.json()).toMatchObject({ state: 'approved' });
    expect(await active()).toBe(1);
  });

  it('are validated', async () => {
    const wrong = [{ path: 'rules.yaml', text: 'rules: [{ reason: 0 }]' }];
    expect(problemOf(await author.call('POST', path('/requests'), { body: { files: wrong } })).code).toBe(
      'policy.invalid',
    );
    expect(problemOf(await author.call('POST', path('/requests'), { body: { version: 99 } })).code).toBe(
      'thing.unknown',
    );
    expect(problemOf(await author.call('POST', path('/requests'), { body: {} })).code).toBe('request.invalid');
  });
});

it('a policy request of a token is approved by another person than its creator', async () => {
  const { pool, now } = kit.deps;
  const { text } = await createToken(pool, {
    name: 'pipeline',
    scopes: ['policies:write'],
    workspaces: [kit.workspace.id],
    days: 1,
    createdBy: 'approver@bank.example',
    nowMs: now(),
  });
  const headers = { authorization: `Bearer ${text}` };
  const body = { version: 1, comment: 'from the pipeline' };
  const { id } = (await kit.at('POST', 'policies/requests', { headers, body })).json<Asked>();
  const refused = problemOf(await approver.call('POST', path(`/requests/${id}/approve`)));
  expect(refused).toMatchObject({
    code: 'right.missing',
    detail: 'token:pipeline made the request, and you created that token. Another person has to approve it.',
  });
  const answer = { body: { comment: 'not now' } };
  expect((await approver.call('POST', path(`/requests/${id}/refuse`), answer)).json()).toMatchObject({
    state: 'refused',
  });
});
