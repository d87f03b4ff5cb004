/**
 * An event decided again at its own time yields the recorded decision: with racing logins, waiting operations, retries,
 * late events and a policy that changed in between. The explanations of rules that did not fire agree as well.
 */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loggedIn } from '../../access/accounts/support/browser.ts';
import { redecide } from '../../../src/backtest/queries/redecide.ts';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { readWorkspace, updateWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from '../../api/support/management-kit.ts';
import { ringfence } from '../../support/terminal.ts';
import { readStream, type Told } from './support/read-stream.ts';

let kit: ManagementKit;
let workspace: Workspace;
let base: string;

const rules = (least: number): string => `features:
  clientPayments: { count: true, by: client.id, over: 1h, on: [operation] }
rules:
  - reason: 101
    name: Many payments
    on: [operation]
    when: clientPayments >= ${least}
    then: { action: 4, message: "{{clientPayments}} to {{accountTo.accountNumber}}" }
  - reason: 102
    name: Large
    on: [operation]
    when: order.amount > 100 && session.matched
    then: { action: 4, message: Look at it }
  - reason: 103
    name: Without a category
    on: [operation]
    when: transaction.type == "x"
    then: { action: 4, message: Look at it }
    mode: shadow
`;

beforeAll(async () => {
  kit = await managementKit();
  const { deps } = kit;
  await updateWorkspace(deps, kit.workspace.id, { settings: { sessionGraceSeconds: 1 }, actor: 'api' });
  const apply = (least: number) =>
    applyPolicy(deps, kit.workspace.id, {
      files: [{ path: 'rules.yaml', text: rules(least) }],
      author: 'test',
      comment: '',
      actor: 'api',
    });
  await apply(3);
  const host = kit.startHost();
  await host.ready;
  for (let round = 0; round < 4; round++) {
    if (round === 2) await apply(5);
    for (const client of ['ana', 'ben', 'eva']) {
      // Eva's payments race her login; Ben never logs in.
      if (client === 'ana') await kit.send('login', login(client));
      const { order: _order, ...rest } = payment(client) as { readonly order: object };
      await kit.send('operation', { ...rest, order: { amount: 40 * (round + 1), currency: 'MXN' } });
      await kit.send('operation', payment(client));
      if (client === 'eva') await kit.send('login', login(client));
    }
  }
  await kit.settled();
  await vi.waitFor(
    async () => {
      const waiting = await kit.pool.query(`select 1 from event where status = 'waiting'`);
      if (waiting.rowCount !== 0) throw new Error('operations wait');
    },
    { timeout: 20_000, interval: 50 },
  );
  await host.stop();
  workspace = await readWorkspace(deps, kit.workspace.id);
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(kit.app.server.address() as AddressInfo).port}/management/v1/workspaces/${workspace.id}`;
});

afterAll(() => kit.close());

interface Row {
  readonly offset: number;
  readonly epoch: number;
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
  readonly policy_version: number;
}

async function rows(): Promise<readonly Row[]> {
  const found = await kit.pool.query<Row>(
    `select "offset", epoch, fired, shadow, policy_version from event where workspace_id = $1 order by "offset"`,
    [workspace.id],
  );
  return found.rows;
}

const idOf = ({ epoch, offset }: Row): string => `evt_${epoch}_${offset}`;

async function ask(
  event: string,
  body: object | string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Told[]> {
  const response = await fetch(`${base}/events/${event}/decide-then`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const told: Told[] = [];
  for await (const one of readStream(response)) told.push(one);
  return told;
}

const asProgram = { authorization: 'Bearer rf_admin_token-of-the-tests-of-management' };

describe('an event decided again at its own time', () => {
  it('yields the recorded decision, and explains every rule', async () => {
    const all = await rows();
    expect(all.length).toBeGreaterThan(25);
    expect(all.some(({ fired }) => fired.includes(101))).toBe(true);
    for (const row of all) {
      const then = await redecide(kit.deps, { workspace, asked: { offset: row.offset } }, () => {});
      expect(then.differences).toEqual([]);
      expect(then.decision.policyVersion).toBe(row.policy_version);
      const reasons = [...then.decision.fired, ...then.unfired].map(({ reason }) => reason);
      expect(reasons.toSorted((a, b) => a - b)).toEqual(then.decision.event === 'operation' ? [101, 102, 103] : []);
      const fired = new Set([...row.fired, ...row.shadow]);
      for (const { reason, conditions } of then.unfired) {
        expect(fired.has(reason)).toBe(false);
        expect(conditions.every(({ holds }) => holds === true)).toBe(false);
      }
    }
  });

  it('shows what was known then, not what is known now', async () => {
    const all = await rows();
    const operations = all.filter((row) => row.policy_version === all[0]!.policy_version);
    const first = await redecide(kit.deps, { workspace, asked: { offset: operations[1]!.offset } }, () => {});
    expect(first.unfired.find(({ reason }) => reason === 101)?.conditions).toEqual([
      { text: 'clientPayments >= 3', holds: false, values: { clientPayments: '1' } },
    ]);
    expect(first.unfired.find(({ reason }) => reason === 103)?.conditions).toMatchObject([{ holds: undefined }]);
  });

  it('with other values is decided differently, on the same state', async () => {
    const [, first] = await rows();
    const told = await ask(idOf(first!), { edits: { order: { amount: 101 } } }, asProgram);
    expect(told.at(-1)).toMatchObject({
      event: 'decided',
      data: {
        rules: [{ reason: 102, facts: { 'order.amount': '101' } }],
        unmatched: [{ reason: 101 }, { reason: 103 }],
        differences: [],
      },
    });
    const amount = '123456789012345678.123456';
    const exact = await ask(idOf(first!), `{"edits":{"order":{"amount":${amount}}}}`, asProgram);
    expect(exact.at(-1)).toMatchObject({ data: { rules: [{ reason: 102, facts: { 'order.amount': amount } }] } });
    const refused = await kit.at('POST', `events/${idOf(first!)}/decide-then`, {
      body: { edits: { order: { amount: 'much' } } },
    });
    expect(problemOf(refused)).toMatchObject({ code: 'event.invalid', errors: [{ pointer: '/order/amount' }] });
  });

  it('changes nothing', async () => {
    const count = () =>
      kit.pool.query(
        `select (select count(*) from event) as events, (select count(*) from action) as actions,
                (select md5(string_agg(bytes::text, '' order by segment, block)) from state_block) as states`,
      );
    const before = (await count()).rows;
    await ask(idOf((await rows())[4]!), { edits: { order: { amount: 9_999 } } }, asProgram);
    expect((await count()).rows).toEqual(before);
  });

  it('is masked for people, and must exist', async () => {
    const viewer = await loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] });
    const fired = (await rows()).find((row) => row.fired.includes(101))!;
    const told = await ask(
      idOf(fired),
      {},
      { cookie: viewer.cookie!, 'x-csrf-token': viewer.csrf!, origin: new URL(base).origin },
    );
    expect(told.at(-1)?.event).toBe('decided');
    expect(JSON.stringify(told)).not.toContain('to 42');
    expect(problemOf(await kit.at('POST', 'events/evt_1_999/decide-then', { body: {} })).code).toBe('thing.unknown');
  });

  it('is also explained by the command line', async () => {
    const { environment } = kit.home;
    const [, first] = await rows();
    const said = await ringfence(`events explain ${idOf(first!)}`, { environment });
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toMatch(/not fired {2}101 Many payments\n {4}- clientPayments >= 3 {3}\[clientPayments = 1\]/);
    expect(said.out).toContain('? transaction.type == "x"   [transaction.type = missing]');
    const one = await ringfence(`events explain ${idOf(first!)} --rule 102 --json`, { environment });
    expect(JSON.parse(one.out)).toMatchObject({ decision: { fired: [] }, unfired: [{ reason: 102 }], differences: [] });
    expect(await ringfence(`events explain ${idOf(first!)} --rule 9`, { environment })).toMatchObject({
      code: 1,
      err: expect.stringContaining('did not evaluate a rule 9'),
    });
  });
});
