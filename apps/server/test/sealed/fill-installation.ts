/** An installation that has every kind of sealed value, made by what a running service and its commands do. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayMs } from '@ringfence/contract';
import { expect, vi } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import { createAccount, insertAccount } from '../../src/access/accounts/account-rows.ts';
import { LogBase } from '../../src/decide/retention/log-base.ts';
import { markAt, noteMarks } from '../../src/decide/retention/marks.ts';
import { beginSecondFactor } from '../../src/access/accounts/second-factor.ts';
import { sealTranscript } from '../../src/deliver/attempt-transcript.ts';
import { OutcomeMatcher } from '../../src/outcomes/outcome-matcher.ts';
import { evaluate } from '../../src/notify/evaluator.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { PolicyCache } from '../../src/policies/policy-cache.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { keyOf } from '../../src/tenancy/subjects/client-seal.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { login, payment } from '../api/support/management-kit.ts';
import type { ConsoleKit } from '../console/support/console-kit.ts';
import { ringfence, type Said } from '../support/terminal.ts';

const policy = `lists: { mules: { of: payee.id, live: true }, vips: { of: client.id, live: true } }
actions:
  7: { name: Hold the payment, hold: { release: 8, reject: 9, within: 30m, otherwise: keep } }
  8: { name: Release the payment, message: released }
  9: { name: Reject the payment, message: rejected }
rules:
  - { reason: 900, name: large, when: order.amount > 100, then: [{ action: 7 }, { action: 3, message: large }] }
  - { reason: 901, name: every, when: order.amount > 0, then: { action: 3, message: every } }
`;

/** What a bank and its people do in a day, in two workspaces. @param folder for files of commands */
export async function fillInstallation(kit: ConsoleKit, folder: string): Promise<void> {
  const other = await kit.addWorkspace();
  for (const { id } of [kit.workspace, other]) {
    const files = [{ path: 'rules.yaml', text: policy }];
    await applyPolicy(kit.deps, id, { files, author: 'test', comment: '', actor: 'api' });
  }
  await kit.deps.registry.refresh();
  const told = await destinations(kit, other);
  const events: string[] = [];
  for (const client of ['ana', 'bob']) {
    for (const workspace of [kit.workspace, other]) {
      await kit.send('login', login(client), workspace);
      for (const amount of [150, 160]) {
        const id = await kit.send('operation', { ...payment(client), order: { amount, currency: 'MXN' } }, workspace);
        if (workspace === kit.workspace) events.push(id);
      }
      await kit.send('logout', { channelId: 1, user: client, session: `s-${client}` }, workspace);
    }
  }
  await kit.send('operation', { ...payment('ana'), account: {} });
  await kit.fed();
  await told();
  await people(kit, events);
  await kit.fed();
  await rest(kit, folder);
}

/** Two destinations in each workspace. @returns what writes the messages about alerts to them */
async function destinations(kit: ConsoleKit, other: Workspace): Promise<() => Promise<void>> {
  for (const workspace of [kit.workspace, other]) {
    for (const { kind, address } of [
      { kind: 'slack', address: { url: 'https://hooks.example/1' } },
      { kind: 'http', address: { url: 'https://hooks.example/2' } },
    ] as const) {
      const settings = { events: { alert: {} }, digestMinutes: 60, recovery: true, showPersonal: true, language: 'en' };
      const body = { name: kind, kind, ...address, settings };
      const made = await kit.call('POST', `/workspaces/${workspace.id}/notifications`, { body });
      expect(made.statusCode, made.body).toBe(201);
    }
  }
  const nothing = async () => [];
  return async () => {
    await evaluate({ ...kit, nowMs: kit.deps.now, workspaces: () => kit.deps.registry.all(), backlogs: nothing });
  };
}

async function done(kit: ConsoleKit, path: string, body: object): Promise<void> {
  const response = await kit.at('POST', path, { body });
  expect(response.statusCode, response.body).toBeLessThan(300);
}

async function people(kit: ConsoleKit, events: readonly string[]): Promise<void> {
  const { items: listed } = await kit.get<{ items: readonly { clientRef: string }[] }>('events?client=ana');
  for (const text of ['one', 'two']) await done(kit, `clients/${listed[0]!.clientRef}/notes`, { text });
  const { items: alerts } = await kit.get<{ items: readonly { id: string }[] }>('alerts');
  for (const { id } of alerts) {
    for (const text of ['one', 'two']) await done(kit, `alerts/${id}/comments`, { text });
  }
  const identity = { issuer: 'https://id.bank.example', subject: 'gil' };
  const gil = { email: 'gil@bank.example', name: 'Gil', roles: { '*': ['analyst'] }, identity } as const;
  await createAccount(kit.pool, gil);
  for (const { id } of alerts) await done(kit, `alerts/${id}/hand-over`, { to: gil.email, note: `about ${id}` });
  const { items: holds } = await kit.get<{ items: readonly { id: string }[] }>('holds');
  for (const { id } of holds) await done(kit, `holds/${id}/decision`, { decision: 'release', comment: `of ${id}` });
  const labels = events.map((event) => ({ event, label: 'fraud', note: `of ${event}` }));
  await done(kit, 'labels', { labels });
  for (const event of events) {
    await done(kit, 'outcomes', { channelId: 1, outcome: 'chargeback', event, loss: 1, note: `of ${event}` });
  }
  for (const client of ['ana', 'bob'])
    await done(kit, 'lists/vips/items', { put: [{ parts: [client] }], comment: 'x' });
  for (const payee of ['B1/1', 'B1/2']) {
    await done(kit, 'lists/mules/items', { put: [{ parts: [payee] }], comment: 'x' });
    const until = new Date(kit.deps.now() + dayMs).toISOString();
    await done(kit, 'suppressions', { reason: 901, payee, until, why: 'x' });
  }
}

/** What people do not make themselves, or only elsewhere. */
async function rest(kit: ConsoleKit, folder: string): Promise<void> {
  const { pool, home, workspace } = kit;
  const { subjects } = kit;
  const onError = (error: unknown): never => expect.unreachable(String(error));
  const workspaces = () => kit.deps.registry.all();
  await new OutcomeMatcher({ ...kit.deps, notifications: home.log.notifications, workspaces, onError }).round();
  for (const email of ['eva@bank.example', 'fay@bank.example']) {
    const { id } = await inTransaction(pool, (client) => insertAccount(client, { email, name: email, roles: {} }));
    await beginSecondFactor(home, { id, email });
  }
  const { rows: actions } = await pool.query<{ id: string; subject: string }>(
    `select id, subject from action where workspace_id = $1 and subject is not null`,
    [workspace.id],
  );
  for (const { id: action, subject } of actions) {
    for (const number of [1, 2]) {
      const key = (await keyOf({ subjects }, workspace, subject))!;
      const detail = sealTranscript({ body: `answer ${number}` }, { workspace, subject, key, action, number });
      await pool.query(
        `insert into attempt (action_id, number, started_at, duration_ms, result, detail) values ($1, $2, now(), 1, 'failed', $3)`,
        [action, number, detail],
      );
    }
  }
  const mapping = `time: { column: at, format: epoch-seconds }
kind: operation
operation: { channelId: { value: 1 }, account.client: client, order.amount: amount, order.currency: { value: MXN } }
`;
  writeFileSync(join(folder, 'm.yaml'), mapping);
  mkdirSync(join(folder, 'policy'));
  writeFileSync(join(folder, 'policy', 'rules.yaml'), policy);
  for (const name of ['one', 'two']) {
    writeFileSync(
      join(folder, `${name}.csv`),
      'at,client,amount\n1600000100,ana,150\n1600000200,bob,160\n1600000300,ana,170\n',
    );
    await run(kit, folder, `import ${name}.csv -m m.yaml -w ${workspace.name} --name ${name}`);
  }
  await run(kit, folder, `backtest --policy policy --history one -w ${workspace.name}`);
  await kit.settled();
  const checkpoints = async () => (await pool.query(`select 1 from checkpoint`)).rowCount;
  await vi.waitFor(async () => expect(await checkpoints()).toBe(2), patience);
  await moveBases(kit);
}

/** As retention does it, with nothing removed. */
async function moveBases(kit: ConsoleKit): Promise<void> {
  const { pool, deps } = kit;
  await noteMarks(pool, deps.now());
  for (const workspace of deps.registry.all()) {
    const mark = (await markAt(pool, workspace.id, deps.now()))!;
    const base = await LogBase.open({ ...deps, policies: new PolicyCache(pool) }, workspace);
    expect(await base.moveTo(mark, Infinity, new AbortController().signal)).toBe(true);
  }
}

/** Runs a command that must succeed or find something. */
export async function run(kit: ConsoleKit, folder: string, line: string): Promise<Said> {
  const said = await ringfence(line, { environment: { ...kit.home.environment, USER: 'mara' }, folder });
  expect(said.err).toBe('');
  return said;
}
