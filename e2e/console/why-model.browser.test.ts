/**
 * Why a model says so: at the event, from the inputs that its decision keeps or from a replay, with reasons for a letter;
 * and in the alert, in words.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { type ConsoleStage, type Opened, openConsoleStage } from './console-stage.ts';
import { intercept } from './intercept.ts';

const stump = (input: number, threshold: number, [low, high]: readonly [number, number]) => ({
  input: [input, -1, -1],
  value: [threshold, low, high],
  left: [1, 0, 0],
  right: [2, 0, 0],
  missingLeft: [1, 0, 0],
  cover: [100, 90, 10],
});

const artifact = JSON.stringify({
  format: 'ringfence-model/1',
  inputs: ['amount', 'overAverage', 'firstPaid', 'payees'].map((name) => ({ name, kind: 'number' })),
  precision: 'double',
  comparison: '<=',
  base: -3.3,
  trees: [
    stump(0, 1_000, [-0.1, 0.9]),
    stump(1, 4, [-0.3, 3.4]),
    // A payee that was paid before, however long ago, lowers it.
    { ...stump(2, 5, [0.8, -0.4]), cover: [100, 20, 80] },
    stump(3, 3, [-0.05, 0.6]),
  ],
  scores: { margins: [-4.2, 1.9], shares: [0, 0.999] },
});

const policyText = `features:
  clientAverage30d: { avg: order.amount, by: client.id, over: 30d, excluding: this }
  firstPaid: { firstSeen: true, by: [client.id, payee.id], on: operation }
  payees1h: { distinct: payee.id, by: client.id, over: 1h }
models:
  payments:
    on: [operation]
    artifact: models/payments.json
    sha256: "${createHash('sha256').update(artifact).digest('hex')}"
    inputs:
      amount: order.amount
      overAverage: double(order.amount) / double(clientAverage30d)
      firstPaid: firstPaid
      payees: { value: payees1h, text: { en: payees paid within an hour, es: beneficiarios pagados en una hora } }
rules:
  - { reason: 700, name: Likely fraud by the model, on: [operation], when: model.payments.p >= 0.5, then: { action: 4, message: Look at it } }
`;

/** A row of a table, in the page. */
interface Row {
  readonly cells: readonly { readonly textContent: string }[];
}

describe('why a model says so', () => {
  let stage: ConsoleStage | undefined;
  let workspace: string;
  let key: string;
  let mara: Opened;
  /** The newest last. */
  let events: readonly { readonly id: string; readonly amount: string }[] = [];

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    workspace = (await call<{ id: string }>('POST', '/workspaces', { name: 'scored', environment: 'development' })).id;
    key = (await call<{ text: string }>('POST', `/workspaces/${workspace}/keys`)).text;
    await call('POST', `/workspaces/${workspace}/policies`, {
      files: [
        { path: 'rules.yaml', text: policyText },
        { path: 'models/payments.json', text: artifact },
      ],
      author: 'test',
      comment: '',
    });
    await call('PATCH', `/workspaces/${workspace}`, { settings: { sessionGraceSeconds: 0 } });
    mara = await stage.openAs({ name: 'Mara', workspace, role: 'analyst' });
    for (const amount of [90, 110]) await pay(amount, 'shop');
    await pay(4_200, 'mule');
    events = await eventually('the payments are decided', 60_000, async () => {
      const page = await call<{ items: (typeof events)[number][] }>('GET', `/workspaces/${workspace}/decisions`);
      if (page.items.length === 0) return undefined;
      const all = await call<typeof page>('GET', `/workspaces/${workspace}/events`);
      return all.items.toReversed();
    });
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const call = <Answer = void>(method: string, path: string, body?: object): Promise<Answer> =>
    stage!.call<Answer>(method, path, body);

  async function pay(amount: number, accountNumber: string): Promise<void> {
    const response = await fetch(`${stage!.eventsOrigin}/api-dev/v5/analytics/app/operation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client: 'ana' },
        order: { amount, currency: 'MXN' },
        accountTo: { bank: 'B1', accountNumber },
      }),
    });
    expect(response.status, await response.text()).toBe(200);
  }

  const idOf = (amount: number): string => events.find((event) => Number(event.amount) === amount)!.id;
  const at = (path: string): string => `${stage!.origin}/console/w/scored:development${path}`;

  /** Texts of the rows of the table, and their log-odds. */
  async function rows(): Promise<readonly (readonly [text: string, logOdds: number])[]> {
    const table = mara.page.locator('table', { has: mara.page.locator('caption') });
    await table.waitFor();
    const texts = await table
      .locator('tbody tr')
      .evaluateAll((all: readonly Row[]) =>
        all.map(({ cells }) => [cells[0]!.textContent, cells[1]!.textContent] as const),
      );
    return texts.map(([text, logOdds]) => [text, Number(logOdds)]);
  }

  async function wrong(): Promise<readonly string[]> {
    await mara.watch.settled();
    return [...(await mara.watch.accessibility()), ...mara.watch.strangers, ...mara.watch.errors];
  }

  it('is shown at the event whose decision keeps the inputs, without a replay', async () => {
    const { page } = mara;
    await page.goto(at(`/events/${idOf(4_200)}`));
    await page.getByRole('heading', { name: 'Why the model says so' }).waitFor();
    const told = await rows();
    expect(told.map(([text]) => text)).toEqual([
      'Average of the training',
      expect.stringMatching(/amount is 42 times this client's average of 30 days.*overAverage = 42/),
      expect.stringContaining("this client's first operation with this payee"),
      expect.stringContaining('amount: 4,200.00 MXN'),
      expect.stringContaining('payees paid within an hour: 2'),
      'This event',
    ]);
    const steps = told.slice(0, -1).reduce((sum, [, logOdds]) => sum + logOdds, 0);
    // Each is rounded to two places.
    expect(Math.abs(steps - told.at(-1)![1])).toBeLessThan(0.005 * told.length);
    await page.getByText('probability of fraud').waitFor();
    expect(await page.getByRole('button', { name: 'Explain the model' }).count()).toBe(0);
    expect(await wrong()).toEqual([]);
    await mara.watch.picture('why-model');
  }, 120_000);

  it('gives reasons for a letter, in the language of the client', async () => {
    const { page } = mara;
    const reasons = page.locator('ol');
    expect(await reasons.locator('li').allTextContents()).toEqual([
      'Amount, compared with your average of 30 days',
      'Your first operation with the payee',
      'Amount',
    ]);
    await page.getByLabel('Language of the letter').selectOption('es');
    expect(await reasons.locator('li').first().textContent()).toBe(
      'El monto, en comparación con su promedio en 30 días',
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the reasons' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
      'El monto, en comparación con su promedio en 30 días\nPrimera operación con el beneficiario\nEl monto',
    );
  }, 120_000);

  it('is computed by a replay where no rule about the model fired', async () => {
    const { page } = mara;
    await page.goto(at(`/events/${idOf(110)}`));
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Why the model says so' }) });
    await panel.getByText('replays the event').waitFor();
    expect(await wrong()).toEqual([]);
    await intercept(page, '**/explain', (route) => route.abort());
    await panel.getByRole('button', { name: 'Explain the model' }).click();
    await panel.getByRole('alert').waitFor();
    await page.unroute('**/explain');
    await panel.getByRole('button', { name: 'Try again' }).click();
    const told = await rows();
    expect(told.map(([text]) => text).join('\n')).toContain("amount is 1.2 times this client's average of 30 days");
    expect(told.at(-1)![1]).toBeLessThan(-2.9);
    await mara.watch.settled();
    expect(await mara.watch.accessibility()).toEqual([]);
  }, 120_000);

  it('appears in the alert in words, in Spanish too', async () => {
    const { page } = mara;
    const { items } = await call<{ items: { id: string }[] }>('GET', `/workspaces/${workspace}/alerts`);
    await page.goto(at(`/alerts?alert=${items[0]!.id}`));
    await page.getByText("amount is 42 times this client's average of 30 days").waitFor();
    await page.getByText("this client's first operation with this payee").waitFor();
    await mara.watch.settled();
    expect(await mara.watch.accessibility()).toEqual([]);
    await page.evaluate(`localStorage.setItem('ringfence.language', 'es')`);
    await page.reload();
    await page.getByText('el monto es 42 veces el promedio de este cliente en 30 días').waitFor();
    await page.goto(at(`/events/${idOf(4_200)}`));
    await page.getByRole('heading', { name: 'Por qué lo dice el modelo' }).waitFor();
    const told = await rows();
    expect(told.map(([text]) => text).join('\n')).toContain('beneficiarios pagados en una hora: 2');
    await mara.watch.settled();
    expect(await mara.watch.accessibility()).toEqual([]);
  }, 120_000);
});
