import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { type Browser, loggedIn } from '../../access/accounts/support/browser.ts';
import { login, payment } from '../../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../support/console-kit.ts';

let kit: ConsoleKit;
let viewer: Browser;
let analyst: Browser;

const policy = `
features: { clientSum1h: { sum: order.amount, by: client.id, over: 1h } }
rules:
  - reason: 1
    name: Any payment
    when: order.amount > 0
    then: { action: 2 }
    score: 20
    summary: { en: "{{order.amount}} {{order.currency}} to {{payee.id}}, {{clientSum1h}} in an hour, note: {{transaction.description}}", es: "{{order.amount}} a {{payee.id}}" }
  - reason: 2
    name: Large payment
    when: order.amount >= 50
    then: { action: 2 }
    score: 70
    summary: "A large payment by {{client.id}}"
  - reason: 3
    name: Without a summary
    when: order.amount > 0
    then: { action: 2 }
  - reason: 4
    name: In shadow
    when: order.amount > 0
    then: { action: 2 }
    mode: shadow
    summary: "Never rendered"
`;

beforeAll(async () => {
  kit = await consoleKit();
  const files = [{ path: 'policy.yaml', text: policy }];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  [viewer, analyst] = await Promise.all([
    loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] }),
    loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] }),
  ]);
});

afterAll(() => kit.close());

interface Alert {
  readonly id: string;
  readonly event?: string;
  readonly summary: readonly {
    readonly reason: number;
    readonly language: string;
    readonly parts: readonly { readonly text: string; readonly of?: readonly string[]; readonly type?: string }[];
  }[];
}

/** Sends a payment of `ana`; resolves to its id when it is decided. */
async function pay(amount: number): Promise<string> {
  const sent = payment('ana', randomUUID(), 's1') as { readonly order: object };
  const body = { ...sent, order: { amount, currency: 'MXN' }, accountTo: { bank: 'B1', accountNumber: '0123456789' } };
  const id = await kit.send('operation', body);
  await kit.fed();
  return id;
}

async function seenBy(browser: Browser, query = ''): Promise<Alert> {
  const path = `/workspaces/${kit.workspace.id}/alerts`;
  const { items } = (await browser.call('GET', `${path}${query}`)).json<{ items: readonly Alert[] }>();
  expect(items).toHaveLength(1);
  const one = (await browser.call('GET', `${path}/${items[0]!.id}${query}`)).json<Alert>();
  expect(one.summary).toEqual(items[0]!.summary);
  return one;
}

function told({ summary }: Alert): readonly string[] {
  return summary.map(
    ({ reason, language, parts }) => `${reason} ${language}: ${parts.map(({ text }) => text).join('')}`,
  );
}

it('an alert tells what happened, in each language, the riskiest rule first', async () => {
  await kit.send('login', login('ana', 's1'));
  const event = await pay(60);
  const alert = await seenBy(analyst, '?show=true');
  expect(alert.event).toBe(event);
  expect(told(alert)).toEqual([
    '2 en: A large payment by ana',
    '1 en: 60.00 MXN to B1/0123456789, 60.00 in an hour, note: unknown',
    '1 es: 60.00 a B1/0123456789',
  ]);
  expect(alert.summary[1]!.parts[0]).toEqual({ text: '60.00', of: ['order.amount'], type: 'decimal' });
  const { rules } = await kit.get<{ rules: readonly { reason: number; summary?: readonly object[] }[] }>(
    `events/${event}`,
  );
  expect(rules.map(({ reason, summary }) => [reason, summary?.length])).toEqual([
    [1, 2],
    [2, 1],
    [3, undefined],
    [4, undefined],
  ]);
});

it('masks personal values for people who see masks, and shows amounts', async () => {
  const alert = await seenBy(viewer);
  expect(told(alert)).toEqual([
    '2 en: A large payment by a•••',
    '1 en: 60.00 MXN to B1•••89, 60.00 in an hour, note: unknown',
    '1 es: 60.00 a B1•••89',
  ]);
});

it('stays with the riskiest event, and takes the newest of equals', async () => {
  const riskier = (await seenBy(viewer)).event;
  await pay(10);
  expect((await seenBy(viewer)).event).toBe(riskier);
  const equal = await pay(55);
  const alert = await seenBy(viewer);
  expect(alert.event).toBe(equal);
  expect(told(alert)[2]).toBe('1 es: 55.00 a B1•••89');
});

it('cannot be read any more when its client was erased', async () => {
  await kit.at('POST', 'clients/erase', { body: { client: 'ana' } });
  expect((await seenBy(viewer)).summary).toEqual([]);
});
