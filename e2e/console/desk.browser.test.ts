/**
 * Behaviour that matters during a full day at the console: drafts are not lost by accident, users are selected and not
 * typed, figures match the lists behind them, and text written by fraudsters does not affect its surroundings.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import { intercept } from './intercept.ts';
import type { Watch } from './watched-page.ts';
import { browserPatienceMs } from '../harness/browser-patience.ts';

const demo = '/console/w/demo-bank:production';
/** Reads `txt.exe` unless isolated, and reverses the following text. */
const turning = 'eve\u202Eexe.txt';

describe('a day at the desk', () => {
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
  const dialog = () => page.getByRole('dialog');
  const rows = () => page.getByRole('list', { name: 'Alerts' }).getByRole('link');
  async function goTo(path: string, heading: string): Promise<void> {
    await page.goto(`${stage!.origin}${demo}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await watch.settled();
  }
  async function wrong(): Promise<readonly string[]> {
    await watch.settled();
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  it('keeps a draft comment during navigation, and asks before it is lost', async () => {
    await goTo('/alerts', 'Alerts');
    const finding = page.getByLabel('What did you find?');
    await rows().nth(0).click();
    await finding.fill('She says that');
    await finding.blur();
    await page.keyboard.press('j');
    await expect.poll(() => finding.inputValue()).toBe('');
    await finding.fill('He was abroad');
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
    await page.goBack();
    await expect.poll(() => finding.inputValue()).toBe('He was abroad');
    await rows().nth(0).click();
    await expect.poll(() => finding.inputValue()).toBe('She says that');
    expect(await wrong()).toEqual([]);

    // A sent comment is no draft any more, even if the user left before the response.
    const held = Promise.withResolvers<void>();
    await intercept(page, '**/comments', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Comment' }).click();
    await rows().nth(1).click();
    await expect.poll(() => finding.inputValue()).toBe('He was abroad');
    const answered = page.waitForResponse('**/comments');
    held.resolve();
    await answered;
    await rows().nth(0).click();
    await page.getByRole('listitem').filter({ hasText: 'Sh•••at' }).waitFor();
    expect(await finding.inputValue()).toBe('');
    await finding.fill('Asked once, by two clicks');
    await page.getByRole('button', { name: 'Comment' }).dblclick();
    await expect.poll(() => finding.inputValue()).toBe('');
    await watch.settled();
    expect(await page.getByRole('listitem').filter({ hasText: 'As•••ks' }).count()).toBe(1);
    await page.unroute('**/comments');

    const asked = page.waitForEvent('dialog');
    const reload = page.reload().catch(() => undefined);
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await reload;
  });

  it('does not lose text in a dialog by an accidental click or Escape', async () => {
    await goTo('/alerts', 'Alerts');
    await rows().nth(0).click();
    await press('Suppress');
    const why = page.getByLabel('Reason');
    await why.fill('Payroll of the town');
    // A selection with the pointer that ends outside of the dialog.
    const box = (await why.boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(20, 20, { steps: 4 });
    await page.mouse.up();
    expect(await why.inputValue()).toBe('Payroll of the town');
    await page.mouse.click(20, 20);
    await dialog().getByText('Your changes are not saved').waitFor();
    await why.fill('Payroll of the town hall');
    await page.keyboard.press('Escape');
    await dialog().getByText('Your changes are not saved').waitFor();
    expect(await why.inputValue()).toBe('Payroll of the town hall');
    expect(await wrong()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    // Without typed text, one Escape suffices.
    await press('Suppress');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  interface Invited {
    readonly invitation: { readonly path: string };
  }

  /** Sets the password of an invited person, in a window of its own. */
  async function accept(path: string): Promise<void> {
    const { page: other } = await stage!.open();
    await other.goto(`${stage!.origin}${path}`);
    await other.getByLabel('Password').fill('correct horse battery staple');
    await other.getByRole('button', { name: 'Set password' }).click();
    await other.getByRole('heading', { name: 'Log in' }).waitFor();
    await other.close();
  }

  it('offers the users to whom an alert can be assigned', async () => {
    await goTo('/alerts', 'Alerts');
    await rows().nth(0).click();
    await press('Hand over');
    await dialog().getByText('There is no other person who can work on alerts here').waitFor();
    await page.keyboard.press('Escape');
    const links = new Map<string, string>();
    for (const [name, role] of [
      ['Luis', 'analyst'],
      ['Vera', 'viewer'],
    ]) {
      const email = `${name!.toLowerCase()}@bank.example`;
      const account = { email, name, roles: [{ workspace: '*', roles: [role] }] };
      links.set(name!, (await stage!.call<Invited>('POST', '/accounts', account)).invitation.path);
    }
    // Invited people cannot log in yet.
    await goTo('/alerts', 'Alerts');
    await rows().nth(0).click();
    await press('Hand over');
    await dialog().getByText('There is no other person who can work on alerts here').waitFor();
    await page.keyboard.press('Escape');
    await accept(links.get('Luis')!);
    await goTo('/alerts', 'Alerts');
    await rows().nth(0).click();
    await press('Hand over');
    const choice = page.getByLabel('Assign to');
    await choice.waitFor();
    expect(await choice.locator('option').allInnerTexts()).toEqual(['Choose a person', 'Luis · luis@bank.example']);
    await choice.selectOption('luis@bank.example');
    expect(await wrong()).toEqual([]);
    await dialog().getByRole('button', { name: 'Hand over' }).click();
    await shows('assigned to luis@bank.example');
  });

  it('shows the same count for a rule as the list behind its link, for every time range', async () => {
    await goTo('/policy?tab=health&range=1h', 'Policy');
    const row = page.getByRole('row', { name: /Burst of payments/ });
    // As of a checkpoint, which is written periodically.
    await expect.poll(() => row.getByRole('cell').nth(2).innerText()).not.toBe('0');
    const cells = await row.getByRole('cell').allInnerTexts();
    const counted = cells.slice(2, 5).reduce((sum, text) => sum + Number(text), 0);
    const asked = page.waitForRequest((request) => request.url().includes('/events?'));
    await row.getByRole('link').click();
    const query = new URL((await asked).url()).searchParams;
    expect(query.get('policyVersion')).toBe('1');
    const kept = Date.parse(query.get('from')!);
    expect(Date.now() - kept).toBeLessThan(3_600_000);
    expect(new URL(page.url()).searchParams.has('range')).toBe(false);
    const listed = page.locator('[role=row][aria-rowindex]');
    await expect.poll(() => listed.count()).toBeGreaterThanOrEqual(counted);
    expect(await wrong()).toEqual([]);
  });

  it('isolates direction control characters in values', async () => {
    const told = await fetch(`${stage!.eventsOrigin}/api/v5/analytics/app/operation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage!.licenseKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client: turning, session: `s${turning}` },
        order: { amount: 12, currency: 'MXN', reference: `r${turning}`, concept: `c${turning}` },
        accountTo: { bank: 'B1', accountNumber: `n${turning}` },
      }),
    });
    expect(told.status, await told.text()).toBe(200);
    await goTo('/alerts', 'Alerts');
    await press('Masked');
    await rows().filter({ hasText: turning }).click();
    await page.locator('main').getByText(turning).nth(1).waitFor();
    expect(await turned()).toEqual([]);
    for (const path of ['', '/events']) {
      await goTo(path, path === '' ? 'Overview' : 'Events');
      await press('Masked');
      await page.getByText(turning).first().waitFor();
      expect(await turned()).toEqual([]);
    }
    // Other cells have links.
    const row = page.getByRole('row').filter({ hasText: turning }).first();
    await row.getByRole('cell', { name: 'Operation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Event', exact: true }).waitFor();
    await watch.settled();
    expect(await turned()).toEqual([]);
    await page.getByRole('link', { name: turning }).first().click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: turning }).waitFor();
    await watch.settled();
    expect(await turned()).toEqual([]);
    expect(await wrong()).toEqual([]);
  });

  it('leaves Enter to the focused element, and letters to the list after a click on a checkbox', async () => {
    await goTo('/events', 'Events');
    await page.keyboard.press('j');
    await page.getByRole('link', { name: 'Lists' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
    await goTo('/events', 'Events');
    await page.getByRole('button', { name: 'Masked' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Shown', exact: true }).waitFor();
    await goTo('/alerts', 'Alerts');
    await page.getByRole('checkbox').first().click();
    await page.keyboard.press('j');
    await page.waitForURL(/alert=/);
    expect(await wrong()).toEqual([]);
  });

  it('does not open an event when text in its row is selected', async () => {
    await goTo('/events', 'Events');
    const cell = (await page.getByRole('cell', { name: 'Operation' }).first().boundingBox())!;
    const height = cell.y + cell.height / 2;
    await page.mouse.move(cell.x + 30, height);
    await page.mouse.down();
    await page.mouse.move(cell.x + cell.width - 10, height, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate<string>('String(document.getSelection())')).not.toBe('');
    expect(new URL(page.url()).pathname.endsWith('/events')).toBe(true);
    await page.mouse.click(cell.x + 4, height);
    await page.getByRole('heading', { level: 1, name: 'Event', exact: true }).waitFor();
  });

  it('prints an alert dark on light, and of one client only', async () => {
    await goTo('/alerts', 'Alerts');
    await rows().nth(1).click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    await page.emulateMedia({ media: 'print' });
    expect(await rows().first().isVisible()).toBe(false);
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
    expect(await page.locator('main button:visible').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Why' }).isVisible()).toBe(true);
    expect(await page.evaluate<string>('getComputedStyle(document.body).color')).toBe('rgb(23, 33, 29)');
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(`delete document.documentElement.dataset.theme`);
  });

  it('keeps a dialog open when another user decides the alert, names that user, and sends nothing', async () => {
    await goTo('/alerts', 'Alerts');
    await rows().last().click();
    await press('Suppress');
    const why = page.getByLabel('Reason');
    await why.fill('Payroll of the town');
    const alert = new URL(page.url()).searchParams.get('alert');
    const close = `/workspaces/demo-bank:production/alerts/${alert}/close`;
    await stage!.call('POST', close, { outcome: 'legitimate' });
    await dialog()
      .getByText(/Decided by .*admin token.* on .+: Legitimate\./)
      .waitFor();
    expect(await why.inputValue()).toBe('Payroll of the town');
    expect(await dialog().getByRole('button', { name: 'Suppress' }).isDisabled()).toBe(true);
    expect(await wrong()).toEqual([]);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page
      .locator('main')
      .getByText(/Decided by .*admin token.* on .+: Legitimate\./)
      .waitFor();
  });

  it('asks before the browser’s "back" closes a dialog with typed text', async () => {
    await goTo('/lists', 'Lists');
    await page.getByRole('link', { name: 'Alerts' }).click();
    await rows().first().click();
    const at = page.url();
    await press('Suppress');
    await page.getByLabel('Reason').fill('Payroll of the town');
    await page.goBack();
    await dialog().getByText('Your changes are not saved').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('Payroll of the town');
    expect(page.url()).toBe(at);
    await page.goBack();
    await dialog().waitFor({ state: 'detached' });
    expect(await wrong()).toEqual([]);
  });

  it('keeps a simulation and unsaved settings during navigation', async () => {
    const leaveAndComeBack = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Lists' }).click();
      await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
      await page.goBack();
      await watch.settled();
    };
    await goTo('/events?kind=operation', 'Events');
    await page.getByRole('row').nth(1).getByRole('cell', { name: 'Operation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Event', exact: true }).waitFor();
    await page.goto(`${page.url()}?suppose=true`);
    const amount = page.getByLabel('order.amount', { exact: true });
    await amount.fill('99999');
    await leaveAndComeBack();
    expect(await amount.inputValue()).toBe('99999');
    await press('Undo all');

    await stage!.call('POST', '/workspaces', { name: 'half', environment: 'development' });
    await page.goto(`${stage!.origin}/console/w/half:development/settings`);
    const grace = page.getByLabel('Login grace period (seconds)');
    const block = page.getByLabel('Block duration (hours)');
    await grace.fill('7');
    await leaveAndComeBack();
    expect(await grace.inputValue()).toBe('7');
    // Concurrent changes of other fields are kept.
    await stage!.call('PATCH', '/workspaces/half:development', { settings: { blockHours: 48 } });
    await press('Save');
    await page.getByText('Saved').waitFor();
    await expect.poll(() => block.inputValue()).toBe('48');
    expect(await grace.inputValue()).toBe('7');
    expect(await page.getByRole('button', { name: 'Undo all' }).count()).toBe(0);
    expect(await wrong()).toEqual([]);
  });

  it('fits every page into a narrow window, even with names of maximum length', async () => {
    const client = 'Maximiliana-'.padEnd(200, 'x');
    const told = await fetch(`${stage!.eventsOrigin}/api/v5/analytics/app/operation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage!.licenseKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client, session: 's'.padEnd(1_024, 'x') },
        order: { amount: 0, currency: 'MXN', reference: 'r'.padEnd(100, 'x') },
      }).replace('"amount":0', '"amount":123456789012345678.123456'),
    });
    expect(told.status, await told.text()).toBe(200);
    await goTo('/alerts', 'Alerts');
    await press('Masked');
    await rows().filter({ hasText: client }).click();
    await page.locator('main').getByText(client).nth(1).waitFor();
    const tooWide: string[] = [];
    const look = async (name: string): Promise<void> => {
      await watch.settled();
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 });
        const beyond = await page.evaluate<number>(`document.documentElement.scrollWidth - ${width}`);
        if (beyond > 0) tooWide.push(`${name} in ${width}: ${beyond}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await look('alert');
    await page
      .getByRole('heading', { name: 'Events' })
      .locator('xpath=ancestor::section')
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Event', exact: true }).waitFor();
    await look('event');
    await page.getByRole('link', { name: 'What if' }).click();
    await page.getByLabel('order.amount', { exact: true }).waitFor();
    await look('supposition');
    await page.getByRole('link', { name: client }).first().click();
    await page.getByRole('heading', { level: 1, name: client }).waitFor();
    await look('client');
    // Cut off, an amount would look smaller.
    const cutOff = `[...document.querySelectorAll('[role=cell]')].filter((cell) =>
      cell.textContent.includes('345,678.123456 MXN') &&
      (cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.parentElement.clientHeight)).length`;
    await page.getByText('345,678.123456 MXN').waitFor();
    expect(await page.evaluate<number>(cutOff)).toBe(0);
    await page.getByRole('link', { name: 'Link graph' }).click();
    await look('graph');
    const answer = await page.request.get(
      `${stage!.origin}/management/v1/workspaces/demo-bank:production/alerts?state=open&limit=1`,
    );
    const { items } = (await answer.json()) as { items: { clientRef: string }[] };
    await goTo(`/about/client/${items[0]!.clientRef}?tab=habits&range=30d`, '');
    await page.getByRole('heading', { name: 'Locations' }).waitFor();
    await look('habits');
    for (const [path, heading] of [
      ['', 'Overview'],
      ['/events?from=2026-01-05T00:00:00Z&to=2026-11-25T00:00:00Z', 'Events'],
      ['/alerts?range=24h', 'Alerts'],
      ['/policy', 'Policy'],
      ['/lists/mulesKnown', 'mulesKnown'],
      ['/deliveries', 'Deliveries'],
      ['/audit', 'Audit'],
      ['/integration', 'Integration'],
      ['/settings', 'Settings'],
    ] as const) {
      await goTo(path, heading);
      await look(heading);
    }
    expect(tooWide).toEqual([]);
  });

  it('marks the current item in forced colours too', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await goTo('/alerts', 'Alerts');
    const current = `[...document.querySelectorAll('[aria-current=page]')]`;
    expect(await page.evaluate<string[]>(`${current}.map((one) => getComputedStyle(one).outlineStyle)`)).toEqual([
      'solid',
      'solid',
    ]);
    await page.emulateMedia({ forcedColors: 'none' });
  });

  it('shows a loading state while the modules of a page load', async () => {
    await goTo('/lists', 'Lists');
    const held = Promise.withResolvers<void>();
    await intercept(page, '**/assets/*.js', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor({ state: 'hidden' });
    await page.getByRole('main').getByText('Loading').first().waitFor();
    expect(await page.getByRole('heading', { level: 1, name: 'Audit' }).count()).toBe(0);
    held.resolve();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.unroute('**/assets/*.js');
  });

  it('navigates a long queue by keyboard, with the open alert in sight', async () => {
    let alert: object | undefined;
    await page.route('**/alerts?state=open*', async (route) => {
      const isFirst = !new URL(route.request().url()).searchParams.has('cursor');
      // The second page is faked: the service does not know its cursor.
      if (isFirst) alert = ((await (await route.fetch()).json()) as { items: object[] }).items[0];
      const name = isFirst ? 'first' : 'later';
      const items = Array.from({ length: 60 }, (_, index) => ({ ...alert, id: `alr_${name}${index}` }));
      await route.fulfill({ json: { items, ...(isFirst ? { next: 'more' } : {}) } });
    });
    await goTo('/alerts', 'Alerts');
    await rows().first().waitFor();
    for (let times = 0; times < 55; times++) await page.keyboard.press('j');
    await expect.poll(() => rows().count()).toBe(120);
    for (let times = 0; times < 15; times++) await page.keyboard.press('j');
    const list = page.getByRole('list', { name: 'Alerts' });
    const open = list.locator('a[aria-current=page]');
    await expect.poll(() => open.getAttribute('href')).toMatch(/alr_later9$/);
    const isInSight = async (): Promise<boolean> => {
      const [around, row] = await Promise.all([list, open].map(async (one) => (await one.boundingBox())!));
      return row!.y >= around!.y - 1 && row!.y + row!.height <= around!.y + around!.height + 1;
    };
    await expect.poll(isInSight).toBe(true);
    await page.unroute('**/alerts?state=open*');
  });

  it('is nearly as fast with hundreds of alerts as with a few', async () => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const scriptSeconds = async (): Promise<number> => {
      const { metrics } = await cdp.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ScriptDuration')!.value;
    };
    const spent = async (count: number): Promise<number> => {
      await page.route('**/alerts?state=open*', async (route) => {
        const { items } = (await (await route.fetch()).json()) as { items: object[] };
        const many = Array.from({ length: count }, (_, index) => ({ ...items[0], id: `alr_${count}_${index}` }));
        await route.fulfill({ json: { items: many } });
      });
      await goTo('/alerts', 'Alerts');
      await expect.poll(() => rows().count()).toBe(count);
      await rows().first().click();
      await watch.settled();
      const before = await scriptSeconds();
      for (let times = 0; times < 5; times++) {
        await page.keyboard.press('x');
        await page.keyboard.press('j');
        await page.waitForURL(`**/*=alr_${count}_${times + 1}`);
      }
      await watch.settled();
      await page.unroute('**/alerts?state=open*');
      return (await scriptSeconds()) - before;
    };
    const few = await spent(6);
    // When each key rendered all rows again, it took some twenty times as long; now up to four times.
    expect(await spent(300)).toBeLessThan(10 * few);
    await cdp.detach();
    // Rows outside of the view stay in the DOM for Tab, the browser's search and screen readers.
    const last = rows().last();
    await last.focus();
    await expect.poll(() => last.boundingBox().then((box) => box!.y)).toBeLessThan(900);
    expect(await watch.accessibility()).toEqual([]);
  });

  it('updates the age of an alert while the queue is quiet', async () => {
    const context = await stage!.browser.newContext({
      storageState: await page.context().storageState(),
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(browserPatienceMs);
    const quiet = await context.newPage();
    await quiet.clock.install();
    await quiet.goto(`${stage!.origin}${demo}/alerts`);
    const when = quiet.getByRole('list', { name: 'Alerts' }).locator('time').first();
    await when.waitFor();
    await intercept(quiet, '**/management/**', () => undefined);
    await quiet.clock.fastForward('03:00:00');
    await expect.poll(() => when.textContent()).toBe('3h ago');
    await context.close();
  });

  it('refetches only visible rows when many alerts change', async () => {
    const alerts = '/workspaces/demo-bank:production/alerts';
    const answer = await page.request.get(`${stage!.origin}/management/v1${alerts}?state=open&limit=1`);
    const {
      items: [alert],
    } = (await answer.json()) as { items: { id: string }[] };
    let asked = 0;
    await page.route('**/alerts?state=open*', async (route) => {
      const at = Number(new URL(route.request().url()).searchParams.get('cursor'));
      asked += 1;
      const items = Array.from({ length: 60 }, (_, index) => ({ ...alert, id: `alr_${at}_${index}` }));
      await route.fulfill({ json: { items, next: String(at + 1) } });
    });
    await goTo('/alerts', 'Alerts');
    for (let pages = 2; pages <= 5; pages++) {
      await press('More');
      await expect.poll(() => rows().count()).toBe(60 * pages);
    }
    await watch.settled();
    asked = 0;
    const release = (): Promise<void> => stage!.call('POST', `${alerts}/${alert!.id}/release`);
    await Promise.all(Array.from({ length: 20 }, release));
    await expect.poll(() => rows().count()).toBe(120);
    await watch.settled();
    // Two pages each for the first event and for all others. With one request per event there would be at least twenty.
    expect(asked).toBeLessThan(12);
    await page.unroute('**/alerts?state=open*');
  });

  /** Texts with a direction control character on the same line as the text they could affect. */
  function turned(): Promise<readonly string[]> {
    return page.evaluate<string[]>(`(() => {
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
        if (!text.data.includes('\u202E')) continue;
        const box = text.parentElement;
        const isOwn = getComputedStyle(box).unicodeBidi.startsWith('isolate') || getComputedStyle(box).display !== 'inline';
        let after = '';
        for (let next = text.nextSibling; next !== null; next = next.nextSibling) after += next.textContent;
        if (!isOwn || after !== '') found.push(box.outerHTML.slice(0, 300));
      }
      return found;
    })()`);
  }
});
