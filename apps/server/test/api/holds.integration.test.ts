import { minuteMs, secondMs } from '@ringfence/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../src/access/tokens/api-tokens.ts';
import { sendDueDecisions } from '../../src/holds/decide-hold.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { updateWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { payment, problemOf } from './support/management-kit.ts';

const rules = `actions:
  7: { name: Hold the payment, hold: { release: 8, reject: 9, within: 30m, otherwise: keep } }
  8: { name: Release the payment, message: released }
  9: { name: Reject the payment, message: rejected }
rules:
  - { reason: 900, name: Every payment, when: order.amount > 0, then: { action: 7 } }
`;

interface Hold {
  readonly id: string;
  readonly state: string;
  readonly members: number;
  readonly decision?: { readonly state: string; readonly author: string; readonly comment?: string };
}

let kit: ConsoleKit;
let mara: Browser;
let luis: Browser;
let analyst: Browser;

beforeAll(async () => {
  kit = await consoleKit();
  const files = [{ path: 'rules.yaml', text: rules }];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  await updateWorkspace(kit.deps, kit.workspace.id, {
    settings: { holds: { secondAbove: { MXN: 100 } } },
    actor: 'api',
  });
  await kit.deps.registry.refresh();
  mara = await loggedIn(kit, { email: 'mara@bank.example', roles: ['decider'] });
  luis = await loggedIn(kit, { email: 'luis@bank.example', roles: ['decider'] });
  analyst = await loggedIn(kit, { email: 'ana@bank.example', roles: ['analyst'] });
});
afterAll(() => kit.close());

let client = 0;
beforeEach(() => void client++);

/** Holds a payment of a new client. */
async function held(amount: number, times = 1, currency = 'MXN'): Promise<string> {
  const name = `client-${client}-${amount}`;
  for (let at = 0; at < times; at++) await kit.send('operation', { ...payment(name), order: { amount, currency } });
  await kit.settled();
  const { items } = await kit.get<{ items: readonly Hold[] }>(`holds?client=${name}`);
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ state: 'open', members: times, reason: 900, rule: 'Every payment', client: name });
  return items[0]!.id;
}

function on(window: Browser, path: string, body?: object) {
  return window.call('POST', `/workspaces/${kit.workspace.id}/holds/${path}`, body === undefined ? {} : { body });
}

async function read(id: string): Promise<Hold & Record<string, unknown>> {
  await kit.settled();
  return kit.get(`holds/${id}`);
}

/** Lets the time for undoing pass. */
async function sent(): Promise<void> {
  kit.pass(31 * secondMs);
  const send = () => sendDueDecisions(kit.deps, (id) => kit.deps.registry.byId(id), kit.deps.now());
  // As two processes do.
  await Promise.all([send(), send()]);
}

describe('a decision', () => {
  it('becomes an action for the bank after the time for undoing it', async () => {
    const id = await held(50, 2);
    const answer = await on(mara, `${id}/decision`, { decision: 'reject', comment: 'She did not make it.' });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ needsSecond: false });
    expect(await read(id)).toMatchObject({
      state: 'open',
      decision: { state: 'undoable', author: 'mara@bank.example' },
    });
    await sent();
    const ended = await read(id);
    expect(ended).toMatchObject({
      state: 'rejected',
      resolvedBy: 'person',
      author: 'mara@bank.example',
      decision: { state: 'sent', comment: 'She did not make it.' },
      operations: [{ resolution: 'rejected' }, { resolution: 'rejected' }],
    });
    const { rows } = await kit.pool.query(
      `select action from action where resolves is not null and resolves = any($1)`,
      [(ended['operations'] as readonly { webhookId: string }[]).map(({ webhookId }) => webhookId)],
    );
    expect(rows).toEqual([{ action: 9 }, { action: 9 }]);
    const late = problemOf(await on(luis, `${id}/decision`, { decision: 'release' }));
    expect(late).toMatchObject({ code: 'state.conflict' });
    expect(late.detail).toMatch(/^The payment is no longer held: it was rejected by mara@bank\.example at /);
  });

  it('is undone by its author only, and then another one can be made', async () => {
    const id = await held(50);
    await on(mara, `${id}/decision`, { decision: 'release' });
    expect(problemOf(await on(luis, `${id}/decision`, { decision: 'reject' })).detail).toBe(
      'mara@bank.example has decided to release this payment. The first decision counts.',
    );
    expect(problemOf(await on(luis, `${id}/undo`)).detail).toMatch(/Only its author can undo it/);
    expect((await on(mara, `${id}/undo`)).statusCode).toBe(204);
    await sent();
    expect(await read(id)).toMatchObject({ state: 'open', decision: { state: 'undone' } });
    await on(luis, `${id}/decision`, { decision: 'release' });
    await sent();
    expect(problemOf(await on(luis, `${id}/undo`)).code).toBe('state.conflict');
    expect(await read(id)).toMatchObject({ state: 'released', author: 'luis@bank.example' });
  });

  it('counts once when two people decide at the same moment', async () => {
    const id = await held(50);
    const answers = await Promise.all([
      on(mara, `${id}/decision`, { decision: 'release' }),
      on(luis, `${id}/decision`, { decision: 'reject' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([202, 409]);
  });

  it('needs the right to decide, which an analyst lacks', async () => {
    const id = await held(50);
    expect(problemOf(await on(analyst, `${id}/decision`, { decision: 'release' })).code).toBe('right.missing');
    const missing = problemOf(await on(mara, 'act_nothing/decision', { decision: 'release' }));
    expect(missing.code).toBe('thing.unknown');
  });

  it('is audited with its author', async () => {
    const id = await held(50);
    await on(mara, `${id}/decision`, { decision: 'release', comment: 'secret words' });
    const { rows } = await kit.pool.query<{ detail: string }>(
      `select actor, action, detail from audit_entry where target = $1`,
      [id],
    );
    expect(rows).toMatchObject([{ actor: 'mara@bank.example', action: 'decideHold' }]);
    expect(rows[0]!.detail).not.toContain('secret');
  });
});

describe('a second person', () => {
  it('confirms a large release', async () => {
    const id = await held(101);
    expect((await on(mara, `${id}/decision`, { decision: 'release' })).json()).toMatchObject({ needsSecond: true });
    expect(problemOf(await on(luis, `${id}/second`, { decision: 'confirm' })).code).toBe('state.conflict');
    await sent();
    expect(await read(id)).toMatchObject({ state: 'open', decision: { state: 'second' } });
    expect(problemOf(await on(mara, `${id}/second`, { decision: 'confirm' })).detail).toMatch(/must be another one/);
    expect(problemOf(await kit.at('POST', `holds/${id}/second`, { body: { decision: 'confirm' } })).detail).toMatch(
      /Only a person/,
    );
    expect((await on(luis, `${id}/second`, { decision: 'confirm' })).statusCode).toBe(204);
    expect(await read(id)).toMatchObject({
      state: 'released',
      author: 'mara@bank.example',
      decision: { state: 'sent', second: 'luis@bank.example' },
    });
  });

  it('is another one than the person who created the token that decided, also after it was revoked', async () => {
    const id = await held(101);
    const { pool, now } = kit.deps;
    const { token, text } = await createToken(pool, {
      name: 'payments-desk',
      scopes: ['holds:decide'],
      workspaces: [kit.workspace.id],
      days: 1,
      createdBy: 'mara@bank.example',
      nowMs: now(),
    });
    const headers = { authorization: `Bearer ${text}` };
    const decided = await kit.at('POST', `holds/${id}/decision`, { headers, body: { decision: 'release' } });
    expect(decided.json()).toMatchObject({ needsSecond: true });
    await sent();
    await revokeToken(pool, token.id, now());
    expect(problemOf(await on(mara, `${id}/second`, { decision: 'confirm' }))).toMatchObject({
      code: 'state.conflict',
      detail: 'token:payments-desk decided first, and you created that token. The second person must be another one.',
    });
    expect(await read(id)).toMatchObject({ state: 'open', decision: { state: 'second' } });
    expect((await on(luis, `${id}/second`, { decision: 'confirm' })).statusCode).toBe(204);
    expect(await read(id)).toMatchObject({ state: 'released', author: 'token:payments-desk' });
  });

  it('refuses it, and the payment stays held', async () => {
    const id = await held(101);
    await on(mara, `${id}/decision`, { decision: 'release' });
    await sent();
    expect((await on(luis, `${id}/second`, { decision: 'refuse' })).statusCode).toBe(204);
    expect(await read(id)).toMatchObject({ state: 'open', decision: { state: 'refused' } });
  });

  it.each([
    { of: 'a currency without a setting', amount: 10, times: 1, currency: 'USD', needsSecond: true },
    { of: 'repeats whose sum is above the amount', amount: 60, times: 2, currency: 'MXN', needsSecond: true },
    { of: 'the amount itself', amount: 100, times: 1, currency: 'MXN', needsSecond: false },
  ])('is needed ($needsSecond) for $of', async ({ amount, times, currency, needsSecond }) => {
    const id = await held(amount, times, currency);
    expect((await on(mara, `${id}/decision`, { decision: 'release' })).json()).toMatchObject({ needsSecond });
  });

  it('is needed for several payments by their sum, but never to reject', async () => {
    const ids = [await held(60), await held(70)];
    const released = await on(mara, 'decisions', { holds: [...ids, 'act_nothing'], decision: 'release' });
    expect(released.json()).toMatchObject({
      results: [
        { hold: ids[0], needsSecond: true },
        { hold: ids[1], needsSecond: true },
        { hold: 'act_nothing', problem: 'thing.unknown' },
      ],
    });
    for (const id of ids) await on(mara, `${id}/undo`);
    const rejected = await on(luis, 'decisions', { holds: ids, decision: 'reject' });
    expect(rejected.json()).toMatchObject({ results: ids.map((hold) => ({ hold, needsSecond: false })) });
  });
});

it('lists open holds by their deadline, page by page, and ended ones apart', async () => {
  kit.pass(minuteMs);
  const first = await kit.get<{ items: readonly (Hold & { dueAt: string })[]; next: string }>('holds?limit=2');
  const second = await kit.get<typeof first>(`holds?limit=2&cursor=${first.next}`);
  const due = [...first.items, ...second.items].map(({ dueAt }) => dueAt);
  expect(due).toEqual(due.toSorted());
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(4);
  const ended = await kit.get<typeof first>('holds?state=ended');
  expect(new Set(ended.items.map(({ state }) => state))).toEqual(new Set(['released', 'rejected']));
  const { items } = await kit.get<typeof first>(`holds?state=open&event=evt_1_1`);
  expect(items).toEqual([]);
});

it('closing an alert answers which of its payments are still held', async () => {
  const id = await held(55);
  await kit.fed();
  const { items } = await kit.get<{ items: readonly { id: string; clientRef: string }[] }>(
    `alerts?client=client-${client}-55`,
  );
  const closed = await kit.at('POST', `alerts/${items[0]!.id}/close`, { body: { outcome: 'fraud' } });
  expect(closed.json()).toMatchObject({ openHolds: [id] });
  expect(await read(id)).toMatchObject({ state: 'open' });
});

it('a payment that was kept instead of released raises an alert again, once', async () => {
  const id = await held(56);
  await kit.fed();
  const path = `alerts?client=client-${client}-56`;
  const first = (await kit.get<{ items: readonly { id: string }[] }>(path)).items[0]!;
  await kit.at('POST', `alerts/${first.id}/close`, { body: { outcome: 'fraud' } });
  await kit.pool.query(`update hold set kept_because = 'interrupted', alerted = false where id = $1`, [id]);
  await kit.fed();
  await kit.fed();
  const { items } = await kit.get<{ items: readonly { id: string; decisions: number; reasons: number[] }[] }>(path);
  expect(items).toMatchObject([{ decisions: 1, reasons: [900] }]);
  expect(items[0]!.id).not.toBe(first.id);
});

it('an erased client leaves no readable comment, and its hold ends', async () => {
  const ids = [await held(57), await held(58)];
  const comment = 'Call 5512345678, she is at her daughter Lucia';
  for (const id of ids) await on(mara, `${id}/decision`, { decision: 'reject', comment });
  await sent();
  expect(await read(ids[0]!)).toMatchObject({ state: 'rejected', decision: { comment } });
  const open = await held(59);
  await on(mara, `${open}/decision`, { decision: 'reject', comment });
  for (const amount of [57, 59]) {
    const name = `client-${client}-${amount}`;
    expect((await kit.at('POST', 'clients/erase', { body: { client: name } })).statusCode).toBe(200);
  }
  await sent();
  const [ended, erased] = [await read(ids[0]!), await read(open)];
  expect(ended).toMatchObject({ state: 'rejected', decision: { state: 'sent', author: 'mara@bank.example' } });
  expect(erased).toMatchObject({ state: 'unresolved', resolvedBy: 'erased' });
  for (const shown of [ended, erased]) {
    expect(JSON.stringify(shown)).not.toContain(comment);
    expect(shown).not.toHaveProperty('client');
    expect(shown.decision).not.toHaveProperty('comment');
  }
  // Another client's comment is still there, and no table has any of them in plain text.
  expect(await read(ids[1]!)).toMatchObject({ decision: { comment } });
  const { rows } = await kit.pool.query<{ readonly row: string }>(
    ['hold', 'hold_member', 'hold_decision', 'directive', 'audit_entry']
      .map((table) => `select t::text as row from ${table} t`)
      .join(' union all '),
  );
  const plain = [comment, Buffer.from(comment).toString('hex')];
  expect(rows.filter(({ row }) => plain.some((text) => row.includes(text)))).toEqual([]);
});
