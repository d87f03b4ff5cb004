/**
 * Behaviour that analysts and authors rely on: lists keep their position, keyboard navigation continues after a change,
 * drafts survive navigation, and workspace problems are shown on every page.
 */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, firstPassword, openConsoleStage } from './console-stage.ts';
import { intercept } from './intercept.ts';
import type { Watch } from './watched-page.ts';
import { browserPatienceMs } from '../harness/browser-patience.ts';

const demo = '/console/w/demo-bank:production';

/** A backtest has a low priority: a busy machine lets it wait. */
const backtestMsMax = 240_000;

describe('the console of an analyst', () => {
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
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  async function goTo(path: string, heading: string): Promise<void> {
    await page.goto(`${stage!.origin}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await watch.settled();
  }
  async function wrong(picture?: string): Promise<readonly string[]> {
    await watch.settled();
    if (picture !== undefined) await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  it('shows the client of an event, however many rules fired', async () => {
    await page.route('**/events?limit=14*', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { readonly items: { fired: number[] }[] };
      answer.items[0]!.fired = [101, 104, 202, 207, 1801, 1802, 1828, 1830];
      await route.fulfill({ response, json: answer });
    });
    await goTo(demo, 'Overview');
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Live events' }) });
    const line = panel.getByRole('listitem').filter({ hasText: '1830' });
    const [inside, last, name] = await Promise.all(
      [panel, line.getByText('1830'), line.locator('.font-medium.truncate')].map(
        async (one) => (await one.boundingBox())!,
      ),
    );
    expect(last!.x + last!.width).toBeLessThanOrEqual(inside!.x + inside!.width);
    expect(name!.width).toBeGreaterThan(60);
    await page.unroute('**/events?limit=14*');
  });

  it('shows on the overview whether decisions are up to date, and the countries of logins', async () => {
    await goTo(demo, 'Overview');
    await shows('Up to date');
    await shows('Mexico');
    await shows('IP Geolocation by DB-IP');
    const leads = await Promise.all(
      ['Events', 'Flagged events', 'Executed by the bank', 'Not delivered'].map((name) =>
        page.locator('dl > div', { hasText: name }).getByRole('link').first().getAttribute('href'),
      ),
    );
    expect(leads.map((href) => href?.split('/').at(-1))).toEqual([
      'events',
      'events?fired=true',
      'deliveries?state=executed',
      'deliveries?state=capped',
    ]);
    expect(await wrong()).toEqual([]);
  });

  it('warns on the overview that events accepted before a failover may be missing', async () => {
    await page.route('**/overview?*', async (route) => {
      const response = await route.fetch();
      const overview = await response.json();
      overview.engine.newLife = { since: '2026-11-20T12:04:31.000Z', keptUntil: '2026-11-20T12:03:07.000Z' };
      await route.fulfill({ response, json: overview });
    });
    await goTo(demo, 'Overview');
    await shows('Failover');
    await shows(/accepted between Nov 20, 2026.* and Nov 20, 2026.* may be missing/);
    expect(await wrong('new-life')).toEqual([]);
    await page.unroute('**/overview?*');
  });

  it('accepts text typed immediately after the key that opens the search', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('bruno');
    await page.keyboard.press('Enter');
    // Keyboard focus moves to the target page.
    await page.locator('main:focus').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Search: bruno' }).waitFor();
    expect(await wrong()).toEqual([]);
  });

  it('stores notes about a client, and shows the outcome of each event on its timeline', async () => {
    await page.getByRole('link', { name: /Client bruno/ }).click();
    await page.getByRole('table', { name: 'Timeline' }).getByText('Executed').waitFor();
    await page.getByLabel('Write a note for other users').fill('Lost the telephone on Friday.');
    await press('Add note');
    await page.getByRole('listitem').filter({ hasText: 'Lo•••y.' }).waitFor();
    expect(await wrong()).toEqual([]);
  });

  it('does not carry a draft from one client to another', async () => {
    const box = page.getByLabel('Write a note for other users');
    const bruno = page.url();
    const clients = await page.evaluate<string[]>(
      `fetch('/management/v1/workspaces/demo-bank:production/alerts').then((answer) => answer.json())
        .then(({ items }) => items.flatMap(({ clientRef }) => clientRef ?? []))`,
    );
    const other = clients.find((client) => !bruno.includes(client))!;
    // Like a link in the page. On return, the page has cached data of both clients.
    await page.evaluate(`history.pushState({}, '', '${demo}/about/client/${other}')`);
    await page.getByRole('listitem').filter({ hasText: 'Lo•••y.' }).waitFor({ state: 'detached' });
    await box.waitFor();
    await page.goBack();
    await page.getByRole('listitem').filter({ hasText: 'Lo•••y.' }).waitFor();
    await box.fill('half a note');
    await page.goForward();
    await page.getByRole('listitem').filter({ hasText: 'Lo•••y.' }).waitFor({ state: 'detached' });
    expect(await box.inputValue()).toBe('');
    await page.goBack();
    await page.waitForURL(bruno);
    await expect.poll(() => box.inputValue()).toBe('half a note');
    await box.fill('');
  });

  it('draws links up to an instant', async () => {
    await page.getByRole('link', { name: 'Link graph' }).click();
    const slider = page.getByRole('slider');
    await slider.waitFor();
    const until = (): Promise<string | null> => page.locator('label time').getAttribute('datetime');
    const whole = await until();
    await slider.fill('0');
    await expect.poll(until).not.toBe(whole);
    expect(await wrong()).toEqual([]);
  });

  it('restores the position in a list', async () => {
    await goTo(`${demo}/events?currency=MXN&amountMin=900`, 'Events');
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    const here = page.locator('[role=row][aria-current=true]');
    const row = await here.innerText();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Event', exact: true }).waitFor();
    await page.goBack();
    await here.waitFor();
    expect(await here.innerText()).toBe(row);
  });

  it('sends an action manually', async () => {
    await goTo(`${demo}/events?reason=104`, 'Events');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await press('Send action');
    await page.getByLabel('Message to the client').fill('Please call us.');
    expect(await wrong('by-hand')).toEqual([]);
    await press('Send');
    await shows('The action was requested from the bank.');
    await page.getByText('HTTP 200').nth(1).waitFor();
    expect(await wrong()).toEqual([]);
  });

  it('continues with the next alert after a decision', async () => {
    await goTo(`${demo}/alerts`, 'Alerts');
    // Client and rules only: the age of the alert changes.
    const nameOf = async (row: Locator): Promise<string> => (await row.innerText()).split('\n').slice(0, 3).join(' ');
    const rows = page.getByRole('list', { name: 'Alerts' }).getByRole('link');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    // The draft survives the switch of masking.
    await page.getByLabel('What did you find?').fill('half a sent');
    await press('Masked');
    await page.getByRole('button', { name: 'Shown', exact: true }).waitFor();
    await watch.settled();
    expect(await page.getByLabel('What did you find?').inputValue()).toBe('half a sent');
    await page.getByLabel('What did you find?').blur();
    const third = await nameOf(rows.nth(2));
    await page.locator('button:enabled', { hasText: 'Legitimate' }).first().waitFor();
    await page.keyboard.press('l');
    await shows('Decided: legitimate');
    await expect.poll(() => nameOf(rows.nth(1))).toBe(third);
    await page.keyboard.press('j');
    const list = page.getByRole('list', { name: 'Alerts' });
    const open = list.locator('a[aria-current=page]');
    await expect.poll(() => nameOf(open)).toBe(third);
    // A row is a link: it can be opened in another tab, and its address can be copied.
    expect(new URL((await open.getAttribute('href'))!, page.url()).href).toBe(page.url());
  });

  it('executes a key press once, however slow the response is', async () => {
    await goTo(`${demo}/alerts`, 'Alerts');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'POST' && pathname.includes('/alerts/')) asked.push(pathname.split('/').at(-1)!);
    });
    await intercept(page, '**/alerts/**', async (route) => {
      if (route.request().method() === 'POST') await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    for (const key of ['n', 'n', 'n']) await page.keyboard.press(key);
    await page.locator('button:enabled', { hasText: 'Fraud' }).first().waitFor();
    for (const key of ['l', 'l', 'i', 'c']) await page.keyboard.press(key);
    await shows('Decided: legitimate');
    expect(asked).toEqual(['next', 'close']);
    await page.unroute('**/alerts/**');
    expect(await wrong()).toEqual([]);
  });

  it('keeps drafts when the session ends, and continues after the next login of the same user', async () => {
    // A separate window: the browser logs an ended session as an error.
    const { page: tab } = await stage!.open();
    const logIn = async (): Promise<void> => {
      const door = tab.getByRole('heading', { name: 'Log in' });
      await door.waitFor();
      await tab.getByLabel('Password').fill(firstPassword);
      await tab.keyboard.press('Enter');
      await door.waitFor({ state: 'detached' });
    };
    await tab.goto(`${stage!.origin}${demo}/alerts`);
    await tab.getByLabel('E-mail address').fill('mara@bank.example');
    await logIn();
    await tab.getByRole('list', { name: 'Alerts' }).getByRole('link').first().click();
    const finding = tab.getByLabel('What did you find?');
    await finding.fill('Ten minutes of work.');
    const address = tab.url();
    await tab.context().clearCookies();
    // A background request of the page may have opened the login already.
    await tab.locator('button', { hasText: 'Comment' }).dispatchEvent('click');
    await tab.getByText(/^Your session has ended/).waitFor();
    // It cannot be bypassed, and no key reaches the page below.
    for (const key of ['Escape', 'Escape', 'Control+k']) await tab.keyboard.press(key);
    expect(await tab.locator('dialog[open]').count()).toBe(1);
    await logIn();
    expect(tab.url()).toBe(address);
    expect(await finding.inputValue()).toBe('Ten minutes of work.');
    await tab.getByRole('button', { name: 'Comment' }).click();
    await tab.getByRole('listitem').filter({ hasText: 'Te•••k.' }).waitFor();

    // An open dialog is kept too, and a login in another tab suffices.
    await tab.getByRole('button', { name: 'Suppress' }).click();
    await tab.getByLabel('Reason').fill('Payroll of the');
    const cookies = await page.context().cookies();
    await tab.context().clearCookies();
    await tab.locator('dialog button', { hasText: 'Suppress' }).dispatchEvent('click');
    await tab.getByText(/^Your session has ended/).waitFor();
    await tab.context().addCookies(cookies);
    await tab.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await tab.getByRole('heading', { name: 'Log in' }).waitFor({ state: 'detached' });
    expect(await tab.getByLabel('Reason').inputValue()).toBe('Payroll of the');
    await tab.context().close();
  });

  it('keeps the page while the service is unreachable, and reloads it only for another build', async () => {
    const tab = await page.context().newPage();
    await tab.goto(`${stage!.origin}${demo}/alerts`);
    const rows = tab.getByRole('list', { name: 'Alerts' }).getByRole('link');
    await rows.first().click();
    await tab.getByLabel('What did you find?').fill('half a sentence');
    // The modules of the next page are unavailable: the current page stays until they load.
    await tab.context().setOffline(true);
    /** The page has probed the service. A reload would have happened by now. */
    const asksInVain = (): Promise<unknown> =>
      tab.waitForEvent('requestfailed', (request) => request.url() === `${stage!.origin}/console/`);
    await Promise.all([asksInVain(), tab.getByRole('link', { name: 'Lists' }).hover()]);
    expect(await tab.getByLabel('What did you find?').inputValue()).toBe('half a sentence');
    await Promise.all([asksInVain(), tab.getByRole('link', { name: 'Lists' }).click()]);
    await tab.context().setOffline(false);
    await tab.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();

    const address = `${stage!.origin}/console/`;
    await intercept(tab, '**/assets/settings-page*', (route) => route.fulfill({ status: 404 }));
    await intercept(tab, address, (route) =>
      route.fulfill({ body: '<script type="module" src="/console/other.js"></script>' }),
    );
    const loaded = tab.waitForEvent('load');
    await tab.getByRole('link', { name: 'Settings' }).click();
    await loaded;
    await tab.close();
  });

  it('reports that the service is unreachable, and does not send operations later', async () => {
    const context = await stage!.browser.newContext({ storageState: await page.context().storageState() });
    context.setDefaultTimeout(browserPatienceMs);
    const away = await context.newPage();
    const closed: string[] = [];
    await context.route('**/close', (route) => {
      closed.push(route.request().url());
      return route.abort('internetdisconnected');
    });
    await away.goto(`${stage!.origin}${demo}/alerts?alert=${await alertWithoutHold()}`);
    await away.locator('button:enabled', { hasText: 'Fraud' }).waitFor();
    await context.setOffline(true);
    await away.keyboard.press('l');
    const problem = away.getByText('The service cannot be reached.').first();
    await problem.waitFor();
    const pressed = closed.length;
    await away.getByRole('link', { name: 'Decided' }).click();
    await problem.waitFor();
    await context.setOffline(false);
    await away
      .getByText('No alerts have been decided yet')
      .or(away.getByRole('list', { name: 'Alerts' }))
      .waitFor();
    expect(closed.length).toBe(pressed);
    await context.close();
  });

  it('detects a stream whose connection hangs', async () => {
    const service = Number(/"process":(\d+)/.exec(stage!.serviceLog())![1]);
    await goTo(`${demo}/alerts`, 'Alerts');
    await watch.settled();
    const broken = page.getByText('Live updates interrupted');
    process.kill(service, 'SIGSTOP');
    try {
      await broken.waitFor();
    } finally {
      process.kill(service, 'SIGCONT');
    }
    await broken.waitFor({ state: 'detached' });
    expect(await page.getByRole('list', { name: 'Alerts' }).count()).toBe(1);
  });

  it('shows a new alert in the open queue', async () => {
    await goTo(`${demo}/alerts`, 'Alerts');
    const rows = page.getByRole('list', { name: 'Alerts' }).getByRole('link');
    const before = await rows.count();
    await pay('nadia');
    await expect.poll(() => rows.count()).toBe(before + 1);
    expect(await wrong()).toEqual([]);
  });

  it(
    'backtests a policy while it is edited, keeps the draft, and discards it',
    { timeout: 2 * backtestMsMax },
    async () => {
      await goTo(`${demo}/policy?find=301`, 'Policy');
      await press('Edit condition');
      await page.getByLabel('Value').first().fill('2');
      await shows('clientPaid5m >= 2');
      expect(await wrong('builder')).toEqual([]);
      await press('Add to draft');
      const asked = page.waitForResponse((response) => response.url().endsWith('/backtests'));
      await page.getByRole('link', { name: 'Text', exact: true }).click();
      // Requested during the automatic backtest, which yields and restarts afterwards.
      await asked;
      // Closed before its page can know that it has ended: it is cancelled and makes room for the next one.
      const closed = Promise.withResolvers<void>();
      await intercept(page, '**/backtests/*', async (route) => {
        await closed.promise;
        await route.continue();
      });
      const begun = page.waitForResponse((response) => response.url().endsWith('/backtests'));
      await press('Backtest');
      await begun;
      const cancelled = page.waitForRequest((request) => request.url().endsWith('/cancel'));
      await page.keyboard.press('Escape');
      await cancelled;
      closed.resolve();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await press('Backtest');
      await page.getByRole('dialog').getByText('Amounts of flagged events').waitFor({ timeout: backtestMsMax });
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText('Amounts of flagged events').first().waitFor({ timeout: backtestMsMax });
      await shows('Fraud caught');
      expect(await wrong('backtest-beside')).toEqual([]);
      await page.getByRole('group', { name: 'Backtest of this draft' }).locator('li summary').first().click();
      await page.getByRole('link', { name: 'Open event' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Event', exact: true }).waitFor();
      await page.goBack();
      await shows('Unpublished changes');
      await shows('Amounts of flagged events');
      await press('Discard');
      await page.getByText('Unpublished changes').waitFor({ state: 'detached' });
      await shows('how it would have performed');
    },
  );

  it('lists rule exceptions and ends them', async () => {
    await goTo(`${demo}/alerts?view=suppressed`, 'Alerts');
    await shows('No rule has an exception.');
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const path = '/workspaces/demo-bank:production/suppressions';
    await stage!.call('POST', path, { reason: 301, client: 'bruno', until, why: 'Payroll.' });
    await stage!.call('POST', path, { reason: 302, payee: 'BANK-A/123456', until, why: 'The bank itself.' });
    await goTo(`${demo}/alerts?view=suppressed`, 'Alerts');
    const rows = page.getByRole('list', { name: 'Rule exceptions' }).getByRole('listitem');
    const ofClient = rows.filter({ hasText: 'Payroll.' });
    const ofPayee = rows.filter({ hasText: 'The bank itself.' });
    await ofClient.getByText('301 Burst of payments').waitFor();
    await ofClient.getByRole('link', { name: 'b•••' }).waitFor();
    await ofPayee.getByText('BA•••56').waitFor();
    await press('Masked');
    await ofClient.getByRole('link', { name: 'bruno' }).waitFor();
    await ofPayee.getByText('BANK-A/123456').waitFor();
    expect(await wrong('suppressed')).toEqual([]);
    await ofClient.getByRole('button', { name: 'End' }).click();
    expect(await wrong()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await ofClient.waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
  });

  it('shows on an event that its rule was suppressed by a user', async () => {
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const path = '/workspaces/demo-bank:production/suppressions';
    await stage!.call('POST', path, { reason: 101, client: 'nadia', until, why: 'A test of the bank.' });
    const before = await newestOf('nadia');
    await pay('nadia');
    await expect.poll(() => newestOf('nadia')).not.toBe(before);
    await goTo(`${demo}/events/${await newestOf('nadia')}`, 'Event');
    await shows('suppressed: no action');
    expect(await wrong('event-suppressed')).toEqual([]);
  });

  it('gives the reason why an event cannot be labelled, and shows no tools for an unknown event', async () => {
    // Erased while the page is open.
    await stage!.call('POST', '/workspaces/demo-bank:production/clients/erase', { client: 'nadia' });
    await press('Fraud');
    await shows('Not labelled: its client was erased.');
    expect(await page.getByText('Labelled.').count()).toBe(0);
    // A separate tab: the browser logs the unknown event as an error.
    const tab = await page.context().newPage();
    await tab.goto(`${stage!.origin}${demo}/events/evt_0_0`);
    await tab.getByRole('alert').waitFor();
    expect(await tab.getByRole('button', { name: /^(Fraud|Legitimate)$/ }).count()).toBe(0);
    expect(await tab.getByRole('link', { name: 'What if…' }).count()).toBe(0);
    await tab.close();
  });

  it('lists the other workspaces for an unknown one', async () => {
    await page.goto(`${stage!.origin}/console/w/nowhere:production/alerts`);
    await shows('Workspace nowhere:production not found');
    expect(await wrong()).toEqual([]);
  });

  it('shows on every page that sending is paused, and the remedy', async () => {
    await stage!.call('POST', '/deliveries/pause');
    await goTo(demo, 'Overview');
    await shows('Ringfence still decides');
    expect(await wrong('paused')).toEqual([]);
    await page.getByRole('link', { name: 'Go to deliveries' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    await stage!.call('POST', '/deliveries/resume');
    await page.getByText('Ringfence still decides').waitFor({ state: 'detached' });
  });

  /** An operation in a session without a login, on which rule 101 fires. */
  async function pay(client: string): Promise<void> {
    const told = await fetch(`${stage!.eventsOrigin}/api/v5/analytics/app/operation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage!.licenseKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client, session: 'nobodys' },
        order: { amount: 12, currency: 'MXN' },
      }),
    });
    expect(told.status).toBe(200);
  }

  /** An open alert of a client without held payments: it is closed without a question. */
  async function alertWithoutHold(): Promise<string> {
    const [alerts, holds] = await Promise.all(
      ['alerts?state=open&limit=50', 'holds?state=open&limit=200'].map((list) =>
        page.evaluate<readonly { readonly id: string; readonly clientRef?: string }[]>(
          `fetch('/management/v1/workspaces/demo-bank:production/${list}')
            .then((answer) => answer.json()).then(({ items }) => items)`,
        ),
      ),
    );
    const held = new Set(holds!.map(({ clientRef }) => clientRef));
    return alerts!.find(({ clientRef }) => !held.has(clientRef))!.id;
  }

  /** The newest decided event of a client. */
  function newestOf(client: string): Promise<string> {
    return page.evaluate<string>(
      `fetch('/management/v1/workspaces/demo-bank:production/events?limit=1&status=decided&client=${client}')
        .then((answer) => answer.json()).then(({ items }) => items[0].id)`,
    );
  }
});
