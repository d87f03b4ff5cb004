/** A threshold chosen by what it would have caught, and written into the draft. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

/** A backtest has a low priority: a busy machine lets it wait. */
const backtestMsMax = 240_000;

/** The second rule is new and in shadow; the third matches nothing. */
const text = `params:
  # Agreed with the branch in May.
  largePayment: { type: int,  default: 1000, unit: MXN } # per payment

rules:
  - { reason: 9001, name: Large payment, on: [operation], when: order.amount > params.largePayment, then: { action: 4, message: x } }
  - { reason: 9002, name: Any payment, on: [operation], when: order.amount > 0, then: { action: 4, message: x }, mode: shadow }
  - { reason: 9003, name: Payment of a king, on: [operation], when: order.amount > 900000000, then: { action: 4, message: x } }
`;

const active = text.replace(/^.*900[23].*\n/gm, '');
/** Forty payments, from 100 to 4000; most of the large ones are frauds. */
const amounts = Array.from({ length: 40 }, (_, at) => 100 * (at + 1));
const isFraud = (amount: number): boolean => (amount > 2_500 ? amount % 400 !== 0 : amount % 900 === 0);

let stage: ConsoleStage | undefined;
let workspace: string;
let page: Page;
let watch: Watch;

beforeAll(async () => {
  stage = await openConsoleStage();
  if (stage === undefined) return;
  const call = <Answer = void>(method: string, path: string, body?: object): Promise<Answer> =>
    stage!.call<Answer>(method, path, body);
  workspace = (await call<{ id: string }>('POST', '/workspaces', { name: 'tuned', environment: 'development' })).id;
  const key = (await call<{ text: string }>('POST', `/workspaces/${workspace}/keys`)).text;
  const policy = { files: [{ path: 'rules.yaml', text: active }], author: 'mara', comment: '' };
  await call('POST', `/workspaces/${workspace}/policies`, policy);
  await call('PATCH', `/workspaces/${workspace}`, { settings: { sessionGraceSeconds: 0 } });
  for (const amount of amounts) await pay(key, amount);
  await labelPayments();
  ({ page, watch } = await stage.openAs({ name: 'Mara', workspace, role: 'author' }));
}, 300_000);
beforeEach(({ skip }) => {
  if (stage === undefined) skip(noChromium);
});
afterAll(() => stage?.close(), 60_000);

async function pay(key: string, amount: number): Promise<void> {
  const response = await fetch(`${stage!.eventsOrigin}/api-dev/v5/analytics/app/operation`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channelId: 1,
      timestamp: new Date().toISOString(),
      account: { client: `c${amount % 7}` },
      order: { amount, currency: 'MXN' },
    }),
  });
  expect(response.status, await response.text()).toBe(200);
}

async function labelPayments(): Promise<void> {
  const path = `/workspaces/${workspace}/events?kind=operation&limit=100`;
  const events = await eventually('the payments are decided', backtestMsMax, async () => {
    const { items } = await stage!.call<{ items: readonly { id: string; amount: string }[] }>('GET', path);
    return items.length === amounts.length ? items : undefined;
  });
  const labels = events.map(({ id, amount }) => ({
    event: id,
    label: isFraud(Number(amount)) ? 'fraud' : 'legitimate',
  }));
  await stage!.call('POST', `/workspaces/${workspace}/labels`, { labels });
  await eventually('the payments are labelled', backtestMsMax, async () => {
    const { items } = await stage!.call<{ items: readonly object[] }>(
      'GET',
      `/workspaces/${workspace}/labels?limit=100`,
    );
    return items.length === amounts.length ? true : undefined;
  });
}

/** As the page keeps it: with a new rule in shadow, and one that matches nothing. */
async function openDraft(): Promise<void> {
  await page.goto(`${stage!.origin}/console/w/tuned:development/policy?tab=text`);
  await page.getByRole('heading', { level: 1, name: 'Policy' }).waitFor();
  const { policyVersion } = await stage!.call<{ policyVersion: number }>('GET', `/workspaces/${workspace}`);
  const [files, base] = [text, active].map((one) => [{ path: 'rules.yaml', text: one }]);
  const kept = JSON.stringify({ files, base, basedOn: policyVersion });
  await page.evaluate((draft) => sessionStorage.setItem('ringfence.draft.tuned:development', draft), kept);
  await page.reload();
  await page.getByText('Unpublished changes').waitFor();
}

async function wrong(picture?: string): Promise<readonly string[]> {
  await watch.settled();
  if (picture !== undefined) await watch.picture(picture);
  return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
}

it(
  'shows what each value would have caught, and writes the chosen one into the draft',
  { timeout: 3 * backtestMsMax },
  async () => {
    await openDraft();
    await page.getByRole('button', { name: 'Backtest', exact: true }).click();
    const dialog = page.getByRole('dialog');
    // The new rule runs as if live, and so its events are flagged; the one without a match is named.
    await dialog.getByText('Rule 9002 is in shadow and ran as if live').waitFor({ timeout: backtestMsMax });
    await dialog.getByText('1 rule matched no event').waitFor();
    await dialog.getByText('Payment of a king').waitFor();
    await dialog.getByText('ringfence import FILE').waitFor();
    expect(await wrong()).toEqual([]);

    await dialog.getByLabel('Compare values of').selectOption('largePayment');
    await dialog.getByLabel('From', { exact: true }).fill('500');
    await dialog.getByLabel('To', { exact: true }).fill('4000');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    const chart = dialog.getByRole('img', { name: /by the value of largePayment/ });
    await chart.waitFor({ timeout: backtestMsMax });
    await dialog.getByText('Live today: 1,000.').waitFor();
    expect(await wrong('thresholds')).toEqual([]);

    const chosen = dialog.locator('[data-value]');
    const slider = dialog.getByRole('slider', { name: 'Value of largePayment' });
    expect(await chosen.getAttribute('data-value')).toBe('1000');
    expect(await slider.getAttribute('aria-valuetext')).toBe('1,000: fraud caught 12, false positives 18');
    await dialog.getByText('37,700.00 MXN').waitFor();
    await dialog.getByText('38,800.00 MXN').waitFor();
    await slider.press('ArrowRight');
    await slider.press('ArrowRight');
    expect(await chosen.getAttribute('data-value')).toBe('2000');
    expect(await slider.getAttribute('aria-valuetext')).toBe('2,000: fraud caught 11, false positives 9');

    // Dragged from the middle to the right end.
    const { x, y, width } = (await chart.boundingBox())!;
    await page.mouse.move(x + width / 2, y + 80);
    await page.mouse.down();
    await page.mouse.move(x + width - 24, y + 80, { steps: 4 });
    await page.mouse.up();
    expect(await chosen.getAttribute('data-value')).toBe('4000');
    await page.mouse.move(x + width / 2, y + 80);
    expect(await chosen.getAttribute('data-value')).toBe('4000');
    await slider.press('ArrowLeft');

    await dialog.getByRole('button', { name: 'Use this value' }).click();
    await dialog.waitFor({ state: 'detached' });
    const editor = page.getByRole('textbox', { name: 'Text of rules.yaml' });
    await editor.getByText('default: 3500').waitFor();
    const lines = (await editor.innerText()).split('\n');
    expect(lines.slice(0, 3)).toEqual(text.replace('1000', '3500').split('\n').slice(0, 3));
  },
);
