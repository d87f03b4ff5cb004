/** Events found by payee, bank and country; searches that a team shares; a client that is blocked. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

const demo = '/console/w/demo-bank:production';

describe('finding events and clients', () => {
  let stage: ConsoleStage | undefined;
  let page: Page;
  let watch: Watch;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage !== undefined) ({ page, watch } = await stage.openAsFirst());
  });
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close());

  async function wrong(): Promise<readonly string[]> {
    await watch.settled();
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }
  const filter = async (label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await watch.settled();
  };
  const rows = () => page.getByRole('table', { name: 'Events' }).getByRole('row');

  it('filters by the bank of the payee and by country, and exports payee and label', async () => {
    await page.goto(`${stage!.origin}${demo}/events?kind=operation`);
    await filter('Payee’s bank', 'BANK-I');
    await filter('Country', 'mx');
    expect(new URL(page.url()).searchParams.get('country')).toBe('MX');
    // The head, and the payment that was held.
    await expect.poll(() => rows().count()).toBe(2);
    await rows().nth(1).getByText('25,000.00 MXN').waitFor();
    expect(await wrong()).toEqual([]);
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const [head = '', event = ''] = (await readFile(await (await file).path(), 'utf8')).split('\r\n');
    const cell = (name: string): string | undefined => event.split(',')[head.split(',').indexOf(name)];
    expect(cell('payeeBank')).toBe('BANK-I');
    expect(cell('payee')).toBe('BA•••01');
    expect(cell('country')).toBe('MX');
    expect(head.split(',')).toContain('label');
  });

  it('keeps the filters as a condition, and names those that a condition cannot express', async () => {
    await filter('Rule', '961');
    await page.getByRole('link', { name: 'By condition' }).click();
    await page.getByText('not applied: rule.').waitFor();
    await page.getByText('1 event', { exact: true }).waitFor();
    const condition = await page.getByRole('textbox', { name: 'Condition' }).innerText();
    expect(condition).toContain('event.kind == "operation"');
    expect(condition).toContain('ip.country == "MX"');
    expect(await wrong()).toEqual([]);
  });

  it('saves a search for the team, and applies it', async () => {
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as view…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Bank I');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The view Bank I is saved.').waitFor();
    await page.goto(`${stage!.origin}${demo}/events?client=sofia`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByText('A view names no client', { exact: false }).waitFor();
    await page
      .getByRole('menuitemcheckbox', { name: 'Bank I' })
      .or(page.getByRole('menuitem', { name: 'Bank I' }))
      .click();
    await page.waitForURL('**by=condition**');
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(await wrong()).toEqual([]);
  });

  it('offers to unblock only a client that is blocked', async () => {
    const open = async (client: string): Promise<void> => {
      await page.goto(`${stage!.origin}${demo}/search?text=${client}`);
      await page.getByRole('link', { name: new RegExp(`Client ${client}`) }).click();
      await page.getByRole('button', { name: 'Masked' }).click();
      await page.getByRole('heading', { level: 1, name: client }).waitFor();
      await watch.settled();
    };
    const unblock = page.getByRole('button', { name: 'Unblock' });
    await open('sofia');
    expect(await unblock.count()).toBe(0);
    expect(await page.getByText('Blocked until').count()).toBe(0);
    await open('carla');
    await page.getByText('Blocked until').waitFor();
    expect(await wrong()).toEqual([]);
    await unblock.click();
    await page.getByText('carla is no longer blocked').waitFor();
    await expect
      .poll(async () => {
        await page.reload();
        await watch.settled();
        return page.getByText('Blocked until').count();
      })
      .toBe(0);
  });
});
