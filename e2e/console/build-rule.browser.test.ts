/** Rules that people build without writing the policy language: from nothing, and from a search of events. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

const demo = '/console/w/demo-bank:production';

describe('building a rule', () => {
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

  const dialog = (): Locator => page.getByRole('dialog');
  const button = (name: string): Locator => dialog().getByRole('button', { name, exact: true });
  async function wrong(picture?: string): Promise<readonly string[]> {
    await watch.settled();
    if (picture !== undefined) await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }
  /** Whether the page or an open dialog is wider than the window. */
  const scrollsSideways = (): Promise<boolean> =>
    page.evaluate(`[document.documentElement, ...document.querySelectorAll('dialog')]
      .some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`);
  async function fillRow(row: Locator, [fact, operator, value]: readonly [string, string, string?]): Promise<void> {
    await row.getByLabel('Fact or feature').fill(fact);
    await row.getByLabel('Operator').selectOption({ label: operator });
    if (value !== undefined) await row.getByLabel('Value').fill(value);
  }
  const rows = (): Locator =>
    dialog()
      .getByRole('listitem')
      .filter({ has: page.getByLabel('Operator') });

  it('writes OR, a list, a missing value and a new feature into a new file, and the draft is valid', async () => {
    await page.goto(`${stage!.origin}${demo}/policy`);
    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('Unusual payment to a stranger');
    await dialog().getByLabel('File', { exact: true }).selectOption({ label: 'New file…' });
    const fileName = dialog().getByLabel('Name of the new file');
    await fileName.fill('payments.yaml');
    await dialog().getByText('The policy has this file already.').waitFor();
    await fileName.fill('strangers.yaml');

    await button('New feature').click();
    const feature = dialog().getByRole('group', { name: 'New feature' });
    await feature.getByLabel('Name of the feature').fill('clientAmount30d');
    await feature.getByLabel('Window').fill('60d');
    await button('Add feature').click();
    await feature.getByText('The policy has this name already.').waitFor();
    await feature.getByLabel('Name of the feature').fill('clientUsual60d');
    await feature.getByLabel('Leave this event out').check();
    await feature.getByRole('button', { name: 'Add condition' }).click();
    await fillRow(feature.getByRole('listitem').first(), ['order.currency', '==', 'MXN']);
    expect(await wrong('new-feature')).toEqual([]);
    await button('Add feature').click();
    await dialog().getByText('The feature clientUsual60d can be used in the condition.', { exact: false }).waitFor();

    await expect.poll(() => button('New feature').evaluate((one) => one.matches(':focus'))).toBe(true);

    await fillRow(rows().nth(0), ['order.amount', '>', '3 * clientUsual60d']);
    await fillRow(rows().nth(1), ['order.amonut', '>', '100']);
    const mistake = dialog().getByText('there is no fact or feature order.amonut', { exact: false });
    await mistake.waitFor();
    expect(await rows().nth(1).getByLabel('Fact or feature').getAttribute('aria-invalid')).toBe('true');
    expect(await button('Add to draft').isDisabled()).toBe(true);
    await fillRow(rows().nth(1), ['payee.id', 'is not in list']);
    await mistake.waitFor({ state: 'detached' });
    expect(await rows().nth(1).getByLabel('List', { exact: true }).inputValue()).not.toBe('');
    await rows().nth(1).getByLabel('List', { exact: true }).selectOption('payeesTrusted');

    await button('Add group').click();
    const group = dialog().getByRole('group', { name: 'At least one of these is met:' });
    await fillRow(group.getByRole('listitem').first(), ['order.currency', 'is missing']);
    // The new row has the focus: the keyboard goes on there.
    await button('Add condition to group').press('Enter');
    await expect
      .poll(() => page.evaluate(`document.activeElement?.getAttribute('aria-label')`))
      .toBe('Fact or feature');
    await fillRow(group.getByRole('listitem').nth(1), ['order.currency', '!=', 'MXN']);
    const condition =
      'order.amount > 3 * clientUsual60d && !(payee.id in lists.payeesTrusted) && ' +
      '(!has(order.currency) || order.currency != "MXN")';
    await dialog().getByText(condition).waitFor();
    expect(await wrong('build-rule')).toEqual([]);
    for (const width of [768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await scrollsSideways()).toBe(false);
    }
    await button('Add to draft').click();
    await dialog().waitFor({ state: 'detached' });

    await page.goto(`${stage!.origin}${demo}/policy?tab=text&file=strangers.yaml`);
    await page.getByRole('link', { name: 'strangers.yaml' }).waitFor();
    await page.getByText('No errors').waitFor();
    await page.getByText('clientUsual60d').first().waitFor();
    expect(await wrong()).toEqual([]);
    await page.goto(`${stage!.origin}${demo}/policy?tab=text&file=features.yaml`);
    await page.getByText('excluding: this').last().waitFor();
  });

  it('opens again what it wrote', async () => {
    await page.goto(`${stage!.origin}${demo}/policy?find=Unusual payment to a stranger`);
    await page.getByRole('button', { name: 'Edit condition' }).click();
    expect(await dialog().getByLabel('Operator').count()).toBe(4);
    await dialog().getByLabel('The rule fires when').selectOption({ label: 'at least one of these is met' });
    await dialog().getByText('|| (!has(order.currency) && order.currency != "MXN")', { exact: false }).waitFor();
    expect(await wrong()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('makes a rule of the condition of a search', async () => {
    await page.goto(
      `${stage!.origin}${demo}/events?by=condition&condition=${encodeURIComponent('order.amount > 1000 || ip.country == "MX"')}`,
    );
    await page.getByText(/^\d+ events?$/).waitFor();
    expect(await wrong('rule-of-this')).toEqual([]);
    await page.getByRole('button', { name: 'Make a rule of this' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('Large, or from Mexico');
    expect(await dialog().getByLabel('The rule fires when').inputValue()).toBe('any');
    expect(await rows().count()).toBe(2);
    // The address gave the condition once.
    expect(new URL(page.url()).searchParams.has('when')).toBe(false);
    await button('Add to draft').click();
    await page.getByRole('heading', { level: 3, name: 'Large, or from Mexico' }).waitFor();
    await page.getByText('Unpublished changes').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('keeps a condition that does not fit into rows as text', async () => {
    const condition = '!(order.amount > 1000 || device.isNew)';
    await page.goto(`${stage!.origin}${demo}/policy?when=${encodeURIComponent(condition)}`);
    await dialog().getByText('This condition does not fit into rows.', { exact: false }).waitFor();
    expect(await dialog().getByRole('textbox', { name: 'Condition' }).innerText()).toContain(condition);
    expect(await wrong('rule-as-text')).toEqual([]);
    await dialog().getByLabel('Name', { exact: true }).fill('Neither large nor new');
    await button('Add to draft').click();
    await page.getByText(condition).waitFor();
  });

  it('offers no rule to people who may not write any', async () => {
    const { items } = await stage!.call<{ readonly items: readonly { readonly id: string; readonly name: string }[] }>(
      'GET',
      '/workspaces',
    );
    const workspace = items.find(({ name }) => name === 'demo-bank')!.id;
    const { page: other, watch: others } = await stage!.openAs({ name: 'Ana', workspace, role: 'analyst' });
    await other.goto(`${stage!.origin}${demo}/events?by=condition&condition=device.isNew`);
    await other.getByText(/^\d+ events?$/).waitFor();
    expect(await other.getByRole('button', { name: 'Make a rule of this' }).count()).toBe(0);
    await other.goto(`${stage!.origin}${demo}/policy?when=device.isNew`);
    await other.getByRole('searchbox').waitFor();
    expect(await other.getByRole('dialog').count()).toBe(0);
    expect([...others.strangers, ...others.errors]).toEqual([]);
    await other.context().close();
  });
});
