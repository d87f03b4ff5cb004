/**
 * The open alert as an analyst meets it: the first screen alone tells the facts, a fraud is decided with its type and
 * loss, and an alert can end inconclusive.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

const demo = '/console/w/demo-bank:production';

/** Runs in the page: the texts of elements that lie inside the window as it opens, without scrolling. */
const firstScreen = `(() => {
  const inside = ({ left, top, right, bottom, width, height }) =>
    width > 0 && height > 0 && left >= 0 && top >= 0 && right <= 1440 && bottom <= 900;
  return [...document.querySelectorAll('main dl > div, main li, main section h2, main h2, main p, main svg[role=img]')]
    .filter((element) => inside(element.getBoundingClientRect()))
    .map((element) => element.getAttribute('aria-label') ?? element.textContent.replaceAll(/\\s+/g, ' '));
})()`;

describe('the facts of an alert', () => {
  let stage: ConsoleStage | undefined;
  let page: Page;
  let watch: Watch;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    ({ page, watch } = await stage.openAsFirst());
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const shows = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  async function wrong(): Promise<readonly string[]> {
    await watch.settled();
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  interface Alert {
    readonly id: string;
    readonly reasons: readonly number[];
    readonly clientRef?: string;
  }

  /** Open alerts whose payments are not held. */
  async function alertsOf(reason: number): Promise<readonly Alert[]> {
    const list = `alerts?state=open&limit=50&reason=${reason}`;
    return page.evaluate<readonly Alert[]>(
      `fetch('/management/v1/workspaces/demo-bank:production/${list}').then((answer) => answer.json())
        .then(({ items }) => items)`,
    );
  }

  async function openAlert(reason: number): Promise<void> {
    const [alert] = await alertsOf(reason);
    await page.goto(`${stage!.origin}${demo}/alerts?alert=${alert!.id}`);
    await page.getByRole('heading', { name: 'This time, and usually' }).waitFor();
    await watch.settled();
  }

  it('are all on the first screen, beside what is usual for the client', async () => {
    await openAlert(201);
    const seen = await page.evaluate<readonly string[]>(firstScreen);
    const facts: Readonly<Record<string, RegExp>> = {
      'what happened': /25,000(?:\.00)? MXN to a payee never paid before.* from an address first seen/,
      amount: /^Amount ?25,000(?:\.00)? MXN/,
      payee: /^Payee.*First payment/,
      country: /^Country.*[A-Z][a-z]+/,
      network: /^Network.*AS\d+.*New address/,
      device: /^Device/,
      channel: /^Channel ?\w+/,
      'usual amounts': /last \d+: up to/,
      'usual hours': /Usual hours: .* This event: \d+\./,
      'what the bank was asked': /Actions requested from the bank/,
      'linked clients': /Linked clients/,
      'earlier alerts': /Earlier alerts/,
      'outcome at the bank': /The bank has reported no outcome\./,
    };
    const missing = Object.entries(facts).filter(([, fact]) => !seen.some((text) => fact.test(text)));
    expect(
      missing.map(([name]) => name),
      seen.join('\n'),
    ).toEqual([]);
    expect(await wrong()).toEqual([]);
  }, 120_000);

  it('lead to their pages, and to the conditions one click below', async () => {
    const links = page.locator('main dl a');
    const leads = await links.evaluateAll((all: readonly { readonly pathname: string }[]) =>
      all.map(({ pathname }) => pathname.split('/').slice(4, 6).join('/')),
    );
    for (const kind of ['about/payee', 'about/ip', 'about/session']) expect(leads).toContain(kind);
    expect(leads.some((lead) => lead.startsWith('events/'))).toBe(true);
    expect(await page.getByText('clientPayeeFirstPaid').count()).toBe(0);
    await page.getByRole('heading', { name: 'Why' }).click();
    await shows('clientPayeeFirstPaid');
    expect(await wrong()).toEqual([]);
  }, 120_000);

  it('are told in Spanish and in the dark as well', async () => {
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    await page.evaluate(`localStorage.setItem('ringfence.language', 'es')`);
    await page.reload();
    await page.getByRole('heading', { name: 'Esta vez, y lo habitual' }).waitFor();
    await shows('Primer pago');
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    expect(await wrong()).toEqual([]);
    await page.evaluate(`localStorage.setItem('ringfence.language', 'en')`);
    await page.reload();
    await page.getByRole('heading', { name: 'This time, and usually' }).waitFor();
  }, 120_000);

  it('end as fraud with its type and loss, which can be changed later', async () => {
    await page.locator('button:enabled', { hasText: 'Fraud' }).first().waitFor();
    await watch.settled();
    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type of fraud').selectOption({ label: 'Compromised credentials' });
    await dialog.getByLabel('Loss').fill('25000.00');
    expect(await dialog.getByLabel('Currency').inputValue()).toBe('MXN');
    expect(await wrong()).toEqual([]);
    await dialog.getByLabel('Loss').press('Enter');
    await shows('Decided: fraud');
    await shows(/Decided by .*mara@bank\.example.* on .+: Fraud\..*Compromised credentials.*25,000\.00 MXN/);
    await page.getByRole('button', { name: 'Type and loss' }).click();
    expect(await dialog.getByLabel('Loss').inputValue()).toBe('25000.00');
    await dialog.getByLabel('Recovered').fill('1200');
    await dialog.getByRole('button', { name: 'Fraud' }).click();
    await shows(/recovered 1,200.00 MXN/);
    expect(await wrong()).toEqual([]);
  }, 120_000);

  it('end as inconclusive by a key', async () => {
    await openAlert(301);
    await page.locator('button:enabled', { hasText: 'Inconclusive' }).first().waitFor();
    await page.keyboard.press('i');
    await shows('Decided: inconclusive');
    await shows(/Decided by .*mara@bank\.example.* on .+: Inconclusive\./);
    await shows(/1 inconclusive/);
    expect(await wrong()).toEqual([]);
  }, 120_000);
});
