/**
 * The queue of a team: filters in the address, views that it shares, changes of several alerts that can be undone or
 * are written when the page is left, and alerts that are handed over and taken back.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { type ConsoleStage, type Opened, openConsoleStage } from './console-stage.ts';

const policyText = `rules:
  - { reason: 11, name: Payment to look at, on: [operation], when: order.amount > 0, then: { action: 3, message: m }, mode: live, score: 20 }
  - { reason: 12, name: Large payment, on: [operation], when: order.amount > 500, then: { action: 3, message: m }, mode: live, score: 50 }
`;
const clients = ['ana', 'ben', 'cyd', 'dan', 'eva', 'fay', 'gil', 'hal'];

describe('the queue of a team', () => {
  let stage: ConsoleStage | undefined;
  let workspace: string;
  let key: string;
  let mara: Opened;
  let luis: Opened;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    workspace = (await call<{ id: string }>('POST', '/workspaces', { name: 'queue', environment: 'development' })).id;
    key = (await call<{ text: string }>('POST', `/workspaces/${workspace}/keys`)).text;
    const files = [{ path: 'rules.yaml', text: policyText }];
    await call('POST', `/workspaces/${workspace}/policies`, { files, author: 'test', comment: '' });
    const channels = [1, 2].map((id) => ({ id, name: ['App', 'Web'][id - 1]! }));
    const settings = { sessionGraceSeconds: 0, alerts: { dueMinutes: 90 } };
    await call('PATCH', `/workspaces/${workspace}`, { settings, channels });
    for (const [n, client] of clients.entries()) await pay(client, 100 * (n + 1), { channelId: 1 + (n % 2) });
    await eventually('every client has an alert', 60_000, async () =>
      (await open()).length === clients.length ? true : undefined,
    );
    mara = await person('Mara');
    luis = await person('Luis');
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const call = <Answer = void>(method: string, path: string, body?: object): Promise<Answer> =>
    stage!.call<Answer>(method, path, body);

  interface Alert {
    readonly id: string;
    readonly client?: string;
    readonly claimedBy?: string;
    readonly outcome?: string;
  }

  async function open(): Promise<readonly Alert[]> {
    return (await call<{ items: Alert[] }>('GET', `/workspaces/${workspace}/alerts`)).items;
  }

  async function pay(client: string, amount: number, { channelId }: { readonly channelId: number }): Promise<void> {
    const response = await fetch(`${stage!.eventsOrigin}/api-dev/v5/analytics/app/operation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId,
        timestamp: new Date().toISOString(),
        account: { client },
        order: { amount, currency: 'MXN' },
      }),
    });
    expect(response.status, await response.text()).toBe(200);
  }

  /** An analyst, logged in, with the queue open. */
  async function person(name: string): Promise<Opened> {
    const window = await stage!.openAs({ name, workspace, role: 'analyst' });
    await window.page.goto(at());
    return window;
  }

  const at = (search = ''): string => `${stage!.origin}/console/w/queue:development/alerts${search}`;
  const rows = ({ page }: Opened) => page.getByRole('list', { name: 'Alerts' }).getByRole('listitem');
  /** The clients of the rows. Their names are masked; each begins with another letter. */
  const names = async (window: Opened): Promise<readonly string[]> => {
    const masked = await rows(window).locator('a span.font-medium.truncate').allInnerTexts();
    return masked.map((text) => clients.find(([first]) => first === text.trim()[0]) ?? text);
  };
  const shown = (window: Opened, wanted: readonly string[]) =>
    expect.poll(() => names(window), { timeout: 30_000 }).toEqual(wanted);
  const mark = ({ page }: Opened, client: string) =>
    page.getByRole('checkbox', { name: `Select the alert of ${client[0]}•••` });

  async function wrongIn({ watch }: Opened): Promise<readonly string[]> {
    await watch.settled();
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  it('is filtered and sorted, and a link shows the same', async () => {
    const { page } = mara;
    const largest = clients.toReversed();
    await page.getByLabel('Order').selectOption('money');
    await shown(mara, largest);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Rule').selectOption('12');
    await shown(mara, ['hal', 'gil', 'fay']);
    await page.getByLabel('Channel').selectOption('2');
    await shown(mara, ['hal', 'fay']);
    // Both rules are named.
    await rows(mara).first().getByText('Payment to look at').waitFor();
    await rows(mara).first().getByText('Large payment').waitFor();
    await rows(mara)
      .first()
      .getByText(/^due in 1 h \d\d min$/)
      .waitFor();
    expect(await wrongIn(mara)).toEqual([]);
    const link = page.url();
    await page.goto(at('?sort=newest'));
    await shown(mara, largest);
    await page.goto(link);
    await shown(mara, ['hal', 'fay']);
    await page.getByLabel('Amount from').fill('700');
    await page.getByLabel('Amount from').press('Enter');
    await shown(mara, ['hal']);
    await page.getByLabel('Currency').fill('usd');
    await page.getByLabel('Currency').press('Enter');
    await page.getByText('No alert matches these filters').waitFor();
    expect(await wrongIn(mara)).toEqual([]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(async () => (await names(mara)).length).toBe(clients.length);
  });

  it('has views that the team shares', async () => {
    const { page } = mara;
    await page.goto(at('?sort=money&riskMin=60&channel=1'));
    await shown(mara, ['gil']);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as view…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Risky in the app');
    expect(await wrongIn(mara)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Risky in the app' }).waitFor();

    await luis.page.goto(at());
    await luis.page.getByRole('button', { name: 'Views' }).click();
    await luis.page.getByRole('menuitem', { name: 'Risky in the app' }).click();
    await shown(luis, ['gil']);
    expect(new URL(luis.page.url()).searchParams.get('riskMin')).toBe('60');
    await luis.page.getByRole('button', { name: 'Risky in the app' }).click();
    await luis.page.getByRole('menuitem', { name: 'Manage views…' }).click();
    await luis.page.getByLabel('Name of the view').fill('App');
    await luis.page.getByRole('button', { name: 'Rename' }).click();
    await luis.page.getByText('Last saved by').getByText('luis@bank.example').waitFor();
    expect(await wrongIn(luis)).toEqual([]);
    await luis.page.getByRole('button', { name: 'Delete the view' }).click();
    await expect
      .poll(async () => (await call<{ items: object[] }>('GET', `/workspaces/${workspace}/alert-views`)).items)
      .toEqual([]);
  });

  it('shows its size beside its link and in the title, and tells the own alerts', async () => {
    const { page } = mara;
    await page.goto(at());
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe('(8) Alerts · Ringfence');
    await mark(mara, 'ana').check();
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('1 alert is assigned to you').waitFor();
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe('(1/8) Alerts · Ringfence');
    await page.getByRole('link', { name: 'Alerts 8 open, 1 of them yours' }).waitFor();
    await page.getByRole('link', { name: 'Mine' }).click();
    await shown(mara, ['ana']);
  });

  it('changes several at once after a confirmation, which can be undone', async () => {
    const { page } = mara;
    await page.goto(at('?sort=money'));
    await shown(mara, clients.toReversed());
    await mark(mara, 'hal').check();
    await mark(mara, 'fay').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Legitimate' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Mark 3 alerts as legitimate' });
    expect((await dialog.getByRole('listitem').allInnerTexts()).map((text) => /.(?=•••)/.exec(text)?.[0])).toEqual([
      'h',
      'g',
      'f',
    ]);
    expect(await wrongIn(mara)).toEqual([]);
    await dialog.getByRole('button', { name: 'Mark 3 alerts as legitimate' }).click();
    await shown(mara, ['eva', 'dan', 'cyd', 'ben', 'ana']);
    const notice = page.getByRole('status', { name: 'Changes that can be undone' });
    await notice.getByText('Mark 3 alerts as legitimate').waitFor();
    expect(await wrongIn(mara)).toEqual([]);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await shown(mara, clients.toReversed());
    expect(await open()).toHaveLength(clients.length);
  });

  it('writes a change when its time is over, and names the alerts that are refused', async () => {
    const { page } = mara;
    const { id } = (await open()).find(({ client }) => client === 'hal')!;
    await page.goto(at('?sort=money'));
    await mark(mara, 'hal').check();
    await mark(mara, 'gil').check();
    await page.getByRole('button', { name: 'Fraud' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark 2 alerts as fraud' }).click();
    // Another person is faster.
    await call('POST', `/workspaces/${workspace}/alerts/${id}/close`, { outcome: 'legitimate' });
    await page.getByText('1 alert changed').waitFor({ timeout: 60_000 });
    await page.getByText(`Alert ${id} was closed by admin token.`).waitFor();
    await page.getByRole('link', { name: 'Decided' }).click();
    await expect.poll(async () => (await names(mara)).toSorted()).toEqual(['gil', 'hal']);
    const gil = rows(mara).filter({ hasText: 'g•••' });
    await gil.getByText('Fraud').waitFor();
    await gil.getByText('by mara@bank.example').waitFor();
    expect(await wrongIn(mara)).toEqual([]);
  });

  it('writes a change at once when the page is left', async () => {
    const { page } = mara;
    await page.goto(at('?sort=money'));
    await mark(mara, 'fay').check();
    await mark(mara, 'eva').check();
    await page.getByRole('button', { name: 'Suppress' }).first().click();
    await page.getByLabel('Reason').fill('Payroll day');
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress 2 alerts' }).click();
    await page.getByText('Suppress 2 alerts').waitFor();
    expect(await open()).toHaveLength(6);
    await page.goto('about:blank');
    await expect.poll(async () => (await open()).length, { timeout: 20_000 }).toBe(4);
    await page.goto(at());
    await shown(mara, await namesInQueue());
  });

  async function namesInQueue(): Promise<readonly string[]> {
    return (await open()).map(({ client }) => client!);
  }

  it('hands an alert over with a note, and takes it back', async () => {
    await mara.page.goto(at());
    await rows(mara).filter({ hasText: 'd•••' }).getByRole('link').click();
    await mara.page.getByRole('button', { name: 'Hand over' }).click();
    await mara.page.getByLabel('Assign to').selectOption('luis@bank.example');
    await mara.page.getByLabel('Note').fill('Call him after five.');
    await mara.page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await mara.page.getByText('mara@bank.example').getByText('handed this over to').waitFor();

    await luis.page.goto(at('?view=mine'));
    await shown(luis, ['dan']);
    await rows(luis).first().getByRole('link').click();
    await luis.page.getByText('handed this over to you').waitFor();
    await luis.page.getByText('Ca•••e.').waitFor();
    await luis.page.getByRole('button', { name: 'Masked' }).click();
    await luis.page.getByText('Call him after five.').waitFor();
    expect(await luis.page.getByRole('button', { name: 'Take back' }).count()).toBe(0);
    expect(await wrongIn(luis)).toEqual([]);

    await mara.page.getByRole('button', { name: 'Take back' }).click();
    await expect
      .poll(async () => (await open()).find(({ client }) => client === 'dan')!.claimedBy)
      .toBe('mara@bank.example');
    await luis.page.getByText('No alerts are assigned to you').waitFor({ timeout: 30_000 });
    expect([...(await wrongIn(mara)), ...(await wrongIn(luis))]).toEqual([]);
  });

  it('has a sound that each browser turns on', async () => {
    const { page } = luis;
    await page.goto(at());
    const sound = page.getByRole('button', { name: 'Sound' });
    expect(await sound.getAttribute('aria-pressed')).toBe('false');
    await page.evaluate(`{
      const { start } = OscillatorNode.prototype;
      window.notes = 0;
      OscillatorNode.prototype.start = function (when) {
        window.notes += 1;
        start.call(this, when);
      };
    }`);
    const notes = (): Promise<unknown> => page.evaluate('window.notes');
    await sound.click();
    await expect.poll(notes).toBe(2);
    await page.getByRole('link', { name: /^Alerts \d+ open/ }).waitFor({ timeout: 30_000 });
    await pay('ivo', 100, { channelId: 1 });
    await expect.poll(notes, { timeout: 60_000 }).toBe(4);
    await sound.click();
    expect(await sound.getAttribute('aria-pressed')).toBe('false');
  });

  it.each([
    ['dark', 'es', 1280],
    ['light', 'es', 1024],
    ['dark', 'en', 768],
  ] as const)('fits %s, %s, %i pixels', async (theme, language, width) => {
    const { page } = mara;
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(
      ([name, lang]) => {
        localStorage.setItem('ringfence.theme', name!);
        localStorage.setItem('ringfence.language', lang!);
      },
      [theme, language],
    );
    await page.goto(at('?sort=money&olderThan=1'));
    await page.goto(at('?sort=money'));
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: language === 'es' ? 'Filtros' : 'Filters' }).click();
    expect(await wrongIn(mara)).toEqual([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
