/**
 * The pages of integrators, operators and administrators: setup with reported mistakes, an outage of the endpoint,
 * ended
 * sessions, and more tabs than a browser opens connections.
 */
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

const password = 'correct horse battery staple';
/** Rule 12 has no message and a cap of one action per hour; the rest is capped until released. */
const policyText = `actions:
  6: Ask to confirm
rules:
  - reason: 11
    name: Large payment
    on: [operation]
    when: order.amount > 10000
    then: { action: 6, message: Asked to confirm. }
    mode: live
  - reason: 12
    name: Payment in dollars
    on: [operation]
    when: order.currency == "USD"
    then: { action: 6 }
    mode: live
    maxActions: 1 per hour
`;
/** Enough failures to open the breaker: ten in five minutes. */
const failingActions = 14;
/** Tabs of one browser, which opens six connections per host. */
const tabs = 8;

describe('the console of those who run it', () => {
  let stage: ConsoleStage | undefined;
  let page: Page;
  let watch: Watch;
  let key: string;
  let bank: Bank;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    bank = await openBank();
    ({ page, watch } = await stage.openAsFirst());
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(async () => {
    bank?.server.close();
    await stage?.close();
  }, 60_000);

  const shows = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  const goTo = async (path: string, heading: string): Promise<void> => {
    await page.goto(`${stage!.origin}/console/w/night:development/${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  const confirm = (name: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name }).click();
  async function wrongOn(picture: string): Promise<readonly string[]> {
    await watch.settled();
    await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  async function call(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(`${stage!.origin}/management/v1/workspaces/night:development${path}`, {
      method,
      headers: { authorization: `Bearer ${stage!.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  }

  async function tell(kind: string, body: object): Promise<number> {
    const response = await fetch(`${stage!.eventsOrigin}/api-dev/v5/analytics/app/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  }

  const pay = (amount: number, currency: string, change: object = {}): Promise<number> =>
    tell('operation', {
      channelId: 1,
      timestamp: new Date().toISOString(),
      account: { client: 'ana', session: 'ana-1' },
      order: { amount, currency },
      ...change,
    });

  it('creates a workspace, and shows its key once', async () => {
    await page.getByRole('button', { name: /Workspace/ }).click();
    await page.getByRole('menuitem', { name: 'New workspace' }).click();
    await page.getByLabel('Name', { exact: true }).fill('night');
    await page.getByLabel('Copy the policy of the current workspace').uncheck();
    expect(await wrongOn('new-workspace')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'New workspace' }).click();
    key = await page.getByRole('dialog').locator('pre').innerText();
    expect(key).toMatch(/^rf_test_/);
    await press('Open workspace');
    await page.getByRole('heading', { level: 1, name: 'Integration' }).waitFor();
    await call('POST', '/policies', { files: [{ path: 'rules.yaml', text: policyText }], author: 'mara' });
    const webhook = { url: bank.url, expiryMinutes: { 6: 1 } };
    await call('PATCH', '', { settings: { webhook, deliver: 'live', sessionGraceSeconds: 0 } });
  });

  it('has examples that run unchanged in a shell', async () => {
    await page.getByLabel('Your license key').fill(key);
    for (const kind of ['Login', 'Operation', 'Logout']) {
      await page.getByRole('tab', { name: `curl: ${kind}` }).click();
      const text = await page.getByRole('tabpanel').locator('pre').innerText();
      expect(execFileSync('sh', ['-c', `${text} 2>/dev/null`], { encoding: 'utf8' }), kind).toContain('200 OK');
    }
    for (const step of ['A license key was used', 'A login arrived', 'An operation was matched to its session']) {
      await page.getByRole('listitem').filter({ hasText: step }).getByRole('img', { name: 'Done' }).waitFor();
    }
  });

  it('shows no step as open while its state is unknown', async () => {
    const tab = await page.context().newPage();
    let isAway = true;
    await tab.route('**/keys', (route) => (isAway ? route.fulfill({ status: 503, body: '' }) : route.continue()));
    await tab.goto(page.url());
    await tab.getByText('The service answered 503.').first().waitFor();
    expect(await tab.getByText(/\d of \d done/).count()).toBe(0);
    isAway = false;
    await tab.getByText(/\d of \d done/).waitFor();
    await tab.close();
  });

  it('lists accepted events that look like mistakes', async () => {
    const dated = { timestamp: undefined, transaction: { date: new Date().toISOString() } };
    expect(await pay(1, 'MXN', { ...dated, account: { client: 'ana' } })).toBe(200);
    expect(await pay(1, 'MXN', { timestamp: '2020-01-01T00:00:00Z', channelId: 9 })).toBe(200);
    await shows('Operations without timestamp');
    await shows('Operations without a session');
    await shows('Events with an implausible time');
    await shows('Events from an unconfigured channel');
    expect(await wrongOn('integration-warnings')).toEqual([]);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Operations without a session' })
      .getByRole('link', { name: 'latest occurrence' })
      .click();
    await page.waitForURL(/\/events\/evt_/);
  });

  it('lists reported outcomes without an event, by reason', async () => {
    await goTo('events', 'Events');
    await page.getByRole('link', { name: 'Unmatched outcomes' }).click();
    await shows('Every reported outcome has its event');
    expect(await wrongOn('outcomes-none')).toEqual([]);
    const outcome = { channelId: 1, outcome: 'executed' };
    expect(await tell('outcome', { ...outcome, user: 'maria-lopez', reference: 'R-4711' })).toBe(200);
    expect(await tell('outcome', { ...outcome, outcome: 'refund', event: 'evt_test_1_999999' })).toBe(200);
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await row('evt_test_1_999999').getByText('not in this workspace').waitFor();
    await row('evt_test_1_999999').getByText('Unmatched').waitFor();
    await row('no operation with this reference').getByText('Waiting').waitFor();
    // Masked until the user asks to see personal data.
    expect(await page.getByText('maria-lopez').count()).toBe(0);
    await press('Masked');
    await row('maria-lopez').getByText('R-4711').waitFor();
    expect(await wrongOn('outcomes')).toEqual([]);
    await page.getByRole('combobox', { name: 'Reason' }).selectOption({ label: 'No operation came within 24 hours' });
    await shows('No reported outcome matches these filters');
    await page.getByRole('combobox', { name: 'Reason' }).selectOption({ label: 'Any reason' });
    await page.getByRole('combobox', { name: 'State' }).selectOption('Waiting');
    await row('R-4711').waitFor();
    expect(await row('evt_test_1_999999').count()).toBe(0);
    await page.getByRole('link', { name: 'By filters' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  });

  it('survives an outage: the endpoint fails, the breaker opens, expired actions are resent', async () => {
    await goTo('deliveries', 'Deliveries');
    await shows('No failures');
    bank.isDead = true;
    for (let i = 0; i < failingActions; i++) expect(await pay(20_000 + i, 'MXN')).toBe(200);
    await shows('Failing: retried every 30 seconds');
    await page.getByRole('button', { name: 'Retry now' }).waitFor();
    expect(await wrongOn('deliveries-broken')).toEqual([]);
    await page.getByLabel('State').selectOption('Expired');
    await page.getByRole('table').getByText('Expired').first().waitFor({ timeout: 150_000 });
    bank.isDead = false;
    await press('Retry now');
    await shows('No failures');
    await page
      .getByRole('table')
      .getByText('Expired')
      .nth(failingActions - 1)
      .waitFor({ timeout: 150_000 });
    await press('Resend all shown');
    await confirm('Resend all shown');
    await shows(`${failingActions} actions changed`);
    await page.getByLabel('State').selectOption('Executed');
    await page
      .getByRole('table')
      .getByText('Executed')
      .nth(failingActions - 1)
      .waitFor();
    expect(await wrongOn('deliveries-mended')).toEqual([]);

    // The bank lost an action that it had confirmed.
    await page.getByRole('table').getByRole('link').first().click();
    await press('Send again …');
    expect(await wrongOn('deliveries-again')).toEqual([]);
    await confirm('Resend');
    await shows('The list updates within a second');
    await goTo('deliveries', 'Deliveries');
  }, 400_000);

  it('keeps actions above the cap of a rule until a user releases them', async () => {
    for (let i = 0; i < 3; i++) expect(await pay(5 + i, 'USD')).toBe(200);
    await page.getByLabel('State').selectOption('Capped');
    await page.getByRole('table').getByText('Capped').nth(1).waitFor();
    await page.getByRole('table').getByRole('link').first().click();
    expect(await page.locator('dt:text-is("Message") + dd').innerText()).toBe('–');
    await press('Discard');
    await shows('Discarded');
    await page.getByRole('link', { name: /^evt_/ }).click();
    await shows('due to rule 12');
    expect(await page.getByText('“').count()).toBe(0);
    await goTo('deliveries?state=capped', 'Deliveries');
    await press('Release all capped');
    await confirm('Release all capped');
    await shows('1 action changed');
    await page.getByLabel('Rule').fill('12');
    await page.getByLabel('Rule').press('Enter');
    await page.getByLabel('State').selectOption('Executed');
    await page.getByRole('table').getByText('Executed').nth(1).waitFor();
    await page.getByLabel('State').selectOption('Any state');
    await page.waitForURL(({ searchParams }) => !searchParams.has('state') && searchParams.get('reason') === '12');
    await press('All actions');
    await page.waitForURL(({ searchParams }) => !searchParams.has('reason'));
  });

  it('pauses everything, shows it on every page, and resumes', async () => {
    await press('Pause everything');
    await confirm('Pause everything');
    await shows('Everything is paused');
    expect(await wrongOn('deliveries-paused')).toEqual([]);
    await press('Resume everywhere');
    await confirm('Resume everywhere');
    await page.getByRole('button', { name: 'Pause everything' }).waitFor();
  });

  it('shows only the workspace pause to an administrator of one workspace', async () => {
    const local = await invited('Luis', ['administrator']);
    await local.goto(`${stage!.origin}/console/w/night:development/deliveries`);
    await local.getByRole('button', { name: 'Pause sending' }).click();
    await local.getByText('Paused in this workspace').waitFor();
    expect(await local.getByRole('button', { name: 'Pause everything' }).count()).toBe(0);
    await local.getByRole('button', { name: 'Resume sending' }).click();
    await local.getByRole('button', { name: 'Pause sending' }).waitFor();
    await local.context().close();
  });

  it('changes roles, and ends sessions immediately', async () => {
    const analyst = await invited('Bruno', ['viewer']);
    await goTo('settings', 'Settings');
    const row = page.getByRole('listitem').filter({ hasText: 'bruno@bank.example' });
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('checkbox', { name: 'Analyst · night:development' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await row.getByText('Analyst · night:development').waitFor();
    expect(await wrongOn('person')).toEqual([]);
    await press('End all sessions');
    await analyst.getByRole('heading', { name: 'Log in' }).waitFor();
    await analyst.getByText(/^Your session has ended/).waitFor();
    await analyst.goto(stage!.firstLink);
    await analyst.getByText('An administrator already exists.').waitFor();
    await shows('No active sessions.');
    await analyst.context().close();
  });

  it('shows changes in the audit log, exports it, and verifies its chain', async () => {
    await goTo('audit', 'Audit');
    await page.getByLabel('Scope').selectOption('The whole installation');
    await page.getByLabel('Action', { exact: true }).selectOption('Changed an account');
    await page.getByRole('table').getByText('Changed an account').first().click();
    const entry = page.getByRole('dialog', { name: 'Changed an account' });
    await entry.getByRole('cell', { name: 'roles', exact: true }).waitFor();
    await entry.getByRole('cell', { name: /viewer.*analyst|analyst.*viewer/ }).waitFor();
    expect(await wrongOn('audit-entry')).toEqual([]);
    await page.keyboard.press('Escape');
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as JSON' }).click();
    expect((await file).suggestedFilename()).toBe('ringfence-audit.jsonl');
    await press('Verify the chain');
    await shows(/entries verified/);
    expect(await wrongOn('audit-chain')).toEqual([]);
  });

  it.each([
    { width: 1_024, height: 700 },
    { width: 390, height: 844 },
  ])('fits a window of $width pixels', async (size) => {
    const wide = page.viewportSize()!;
    const widthOf = () => page.evaluate<number>('document.documentElement.scrollWidth');
    await page.setViewportSize(size);
    const pages = ['alerts', 'events', 'policy', 'lists', 'deliveries', 'integration', 'audit', 'settings'];
    for (const path of pages) {
      await goTo(path, `${path.charAt(0).toUpperCase()}${path.slice(1)}`);
      expect(await wrongOn(`${path}-${size.width}`)).toEqual([]);
      expect([path, await widthOf()]).toEqual([path, size.width]);
    }
    for (const [path, heading] of Object.entries({ holds: 'Held payments', 'events/outcomes': 'Unmatched outcomes' })) {
      await goTo(path, heading);
      expect(await wrongOn(`${heading}-${size.width}`)).toEqual([]);
      expect([path, await widthOf()]).toEqual([path, size.width]);
    }
    // A table may be wider than the window, but its names stay visible.
    await goTo('policy?tab=health', 'Policy');
    expect((await page.locator('td a').first().boundingBox())!.width).toBeGreaterThan(60);
    await page.goto(`${stage!.origin}/docs`);
    expect(await widthOf()).toBe(size.width);
    await page.setViewportSize(wide);
  });

  it('serves more tabs than the browser opens connections, through one stream', async () => {
    const context = page.context();
    const opened: Page[] = [];
    for (let i = 0; i < tabs; i++) {
      const tab = await context.newPage();
      opened.push(tab);
      await tab.goto(`${stage!.origin}/console/w/night:development/deliveries`);
      await tab.getByText('No failures').waitFor();
    }
    const streams = await page.evaluate<number>(
      `navigator.locks.query().then(({ held }) => held.filter(({ name }) => name === 'ringfence live night:development').length)`,
    );
    expect(streams).toBe(1);
    // Received through the stream of another tab.
    await opened[0]!.getByRole('button', { name: 'Pause sending' }).click();
    for (const tab of opened) await tab.getByText('Sending is paused').first().waitFor();
    await opened[0]!.getByRole('button', { name: 'Resume sending' }).click();
    for (const tab of opened) await tab.close();
  }, 180_000);

  async function invited(name: string, roles: readonly string[]): Promise<Page> {
    const email = `${name.toLowerCase()}@bank.example`;
    const workspaces = await page.evaluate<{ workspaces: { id: string; name: string }[] }>(
      `fetch('/management/v1/session').then((answer) => answer.json())`,
    );
    const { id } = workspaces.workspaces.find((one) => one.name === 'night')!;
    const response = await fetch(`${stage!.origin}/management/v1/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage!.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email, name, roles: [{ workspace: id, roles }] }),
    });
    const { invitation } = (await response.json()) as { readonly invitation: { readonly path: string } };
    await goTo('settings', 'Settings');
    await shows('Invited, no password set');
    const window = await stage!.open();
    await window.page.goto(`${stage!.origin}${invitation.path}`);
    await window.page.getByLabel('Password').fill(password);
    await window.page.getByRole('button', { name: 'Set password' }).click();
    await window.page.getByRole('heading', { name: 'Log in' }).waitFor();
    // The login is prefilled with the account whose password was just set.
    expect(await window.page.getByLabel('E-mail address').inputValue()).toBe(email);
    await window.page.getByLabel('Password').fill(password);
    await window.page.getByRole('button', { name: 'Log in' }).click();
    await window.page.waitForURL('**/w/**');
    return window.page;
  }
});

interface Bank {
  readonly server: Server;
  readonly url: string;
  isDead: boolean;
}

/** Executes every action, except while it is down. */
async function openBank(): Promise<Bank> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(bank.isDead ? 503 : 200, { 'content-type': 'application/json' });
    response.end(bank.isDead ? '' : '{"code":1,"message":"done"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bank = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, isDead: false };
  return bank;
}
