/**
 * Held payments in the console: a release that is undone, one that a second person confirms, and an alert with both;
 * and the settings of held payments and reported outcomes.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, type Opened, openConsoleStage } from './console-stage.ts';

const policyText = `actions:
  7: { name: Hold the payment, hold: { release: 8, reject: 9, within: 30m, otherwise: keep } }
  8: { name: Release the payment, message: released }
  9: { name: Reject the payment, message: rejected }
rules:
  - { reason: 11, name: Payment to look at, on: [operation], when: order.amount > 0, then: { action: 7 }, mode: live }
`;

describe('held payments', () => {
  let stage: ConsoleStage | undefined;
  let workspace: string;
  let key: string;
  let mara: Opened;
  let luis: Opened;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    workspace = (await call<{ id: string }>('POST', '/workspaces', { name: 'held', environment: 'development' })).id;
    key = (await call<{ text: string }>('POST', `/workspaces/${workspace}/keys`)).text;
    await call('POST', `/workspaces/${workspace}/policies`, {
      files: [{ path: 'rules.yaml', text: policyText }],
      author: 'test',
      comment: '',
    });
    const webhook = { url: 'http://127.0.0.1:9/hook' };
    const settings = { webhook, deliver: 'live', sessionGraceSeconds: 0, holds: { secondAbove: { MXN: 1_000 } } };
    await call('PATCH', `/workspaces/${workspace}`, { settings });
    mara = await person('Mara');
    luis = await person('Luis');
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const call = <Answer = void>(method: string, path: string, body?: object): Promise<Answer> =>
    stage!.call<Answer>(method, path, body);
  const person = (name: string, role = 'decider'): Promise<Opened> => stage!.openAs({ name, workspace, role });

  async function pay(client: string, amount: number): Promise<void> {
    const response = await fetch(`${stage!.eventsOrigin}/api-dev/v5/analytics/app/operation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client },
        order: { amount, currency: 'MXN' },
      }),
    });
    expect(response.status, await response.text()).toBe(200);
  }

  const at = (path: string): string => `${stage!.origin}/console/w/held:development${path}`;
  const rowOf = ({ page }: Opened, text: string) =>
    page.getByRole('list', { name: 'Held payments' }).getByRole('listitem').filter({ hasText: text });

  async function wrongIn({ watch }: Opened, picture?: string): Promise<readonly string[]> {
    await watch.settled();
    if (picture !== undefined) await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  it('are released by one person, who can undo it', async () => {
    const { page } = mara;
    await page.goto(at('/'));
    await page.getByRole('link', { name: 'Held payments' }).click();
    await page.getByText('No held payments').waitFor();
    expect(await wrongIn(mara)).toEqual([]);
    await pay('ana', 50);
    const row = rowOf(mara, '50.00 MXN');
    await row.getByText('then a person still has to decide').waitFor();
    await row.getByRole('button', { name: 'Release' }).click();
    await page.getByLabel('Comment').fill('Called the client.');
    expect(await wrongIn(mara)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await row.getByText('mara@bank.example decided to release it').waitFor();
    expect(await wrongIn(mara, 'held-undoable')).toEqual([]);
    await row.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The payment is undecided again.').waitFor();
    await row.getByRole('button', { name: 'Reject' }).waitFor();
  }, 120_000);

  it('need a second person for a large amount', async () => {
    await pay('leo', 5_000);
    await mara.page.goto(at('/holds'));
    const mine = rowOf(mara, '5,000.00 MXN');
    await mine.getByRole('checkbox').check();
    // Another person's open page shows each change, without polling.
    await luis.page.goto(at('/holds'));
    const others = rowOf(luis, '5,000.00 MXN');
    await others.getByRole('button', { name: 'Release' }).waitFor();
    await mara.page.getByRole('button', { name: 'Release selected' }).click();
    await mara.page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await mine.getByText('It needs a second person.').waitFor();
    await others.getByText('mara@bank.example decided to release it').waitFor();
    await others.getByRole('button', { name: 'Confirm' }).waitFor({ timeout: 60_000 });
    expect(await mine.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    expect(await wrongIn(luis, 'held-second')).toEqual([]);
    await others.getByRole('button', { name: 'Confirm' }).click();
    await others.waitFor({ state: 'detached' });
    await luis.page.getByRole('link', { name: 'Ended' }).click();
    await rowOf(luis, '5,000.00 MXN').getByText('confirmed by luis@bank.example').waitFor();
    expect(await wrongIn(luis)).toEqual([]);
  }, 180_000);

  it('are decided together with their alert', async () => {
    const { page } = mara;
    await pay('eva', 70);
    await page.goto(at('/alerts'));
    await page.getByRole('list', { name: 'Alerts' }).getByText('70.00 MXN').first().click();
    await page.getByText('The bank holds this payment until a person decides.').waitFor();
    await page.getByRole('button', { name: /^Fraud/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('What happens to the held payments of this alert?').inputValue()).toBe('reject');
    expect(await wrongIn(mara)).toEqual([]);
    await dialog.getByRole('button', { name: 'Fraud' }).click();
    await page.getByText('mara@bank.example decided to reject it').waitFor();
    expect(await wrongIn(mara)).toEqual([]);
  }, 120_000);

  it('stay held if only their alert is decided, and are released on its page', async () => {
    const { page } = mara;
    await pay('ivo', 90);
    await page.goto(at('/alerts'));
    await page.getByRole('list', { name: 'Alerts' }).getByText('90.00 MXN').first().click();
    await page.getByText('The bank holds this payment until a person decides.').waitFor();
    await page.locator('button:enabled', { hasText: 'Inconclusive' }).waitFor();
    await page.keyboard.press('i');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('What happens to the held payments of this alert?').inputValue()).toBe('nothing');
    await dialog.getByRole('button', { name: 'Inconclusive' }).click();
    await page.getByText(/Decided by .*mara@bank\.example.* on .+: Inconclusive\./).waitFor();
    await page.getByText('then a person still has to decide').waitFor();
    await page.locator('main').getByRole('button', { name: 'Release' }).click();
    await dialog.getByRole('button', { name: 'Release' }).click();
    await page.getByText('mara@bank.example decided to release it').waitFor();
    expect(await wrongIn(mara, 'alert-held')).toEqual([]);
  }, 120_000);

  it('have settings, and so have reported outcomes', async () => {
    const window = await person('Ines', 'administrator');
    const { page } = window;
    const settingsOf = async (): Promise<unknown> => {
      const { settings } = await call<{ settings: { holds: unknown; outcomes: unknown } }>(
        'GET',
        `/workspaces/${workspace}`,
      );
      return { holds: settings.holds, outcomes: settings.outcomes };
    };
    await page.goto(at('/settings'));
    const [codes, save] = [
      page.getByLabel('Chargeback codes that mean fraud'),
      page.getByRole('button', { name: 'Save' }),
    ];
    expect((await codes.inputValue()).split('\n')).toContain('4837');
    await page.getByLabel('Amount in MXN').fill('2000');
    await page.getByRole('button', { name: 'Add currency' }).click();
    await page.getByLabel('Currency').last().fill('mxn');
    await page.getByLabel('Amount in MXN').last().fill('-1');
    await page.getByLabel('Hold again after a rejection (hours)').fill('48');
    await page.getByLabel('The license key may report fraud').check();
    await codes.fill('10.4\nX1\n');
    // The browser names the field: twice the same currency, then an amount below 0.
    await save.click();
    const invalid = async (label: string): Promise<string> =>
      page
        .getByLabel(label)
        .last()
        .evaluate((field: { readonly validationMessage: string }) => field.validationMessage);
    expect(await invalid('Currency')).toBe('This currency is listed twice.');
    await page.getByLabel('Currency').last().fill('usd');
    await save.click();
    expect(await invalid('Amount in USD')).not.toBe('');
    await page.getByLabel('Amount in USD').fill('100');
    expect(await wrongIn(window)).toEqual([]);
    await save.click();
    await page.getByText('Saved').waitFor();
    expect(await settingsOf()).toEqual({
      holds: { secondAbove: { MXN: 2_000, USD: 100 }, heldAgainHours: 48 },
      outcomes: { keyMayLabel: true, fraudCodes: ['10.4', 'X1'] },
    });
    await page.reload();
    expect(await page.getByLabel('Amount in USD').inputValue()).toBe('100');
    expect(await codes.inputValue()).toBe('10.4\nX1');
    await page.getByRole('button', { name: 'Remove USD' }).click();
    await save.click();
    await page.getByText('Saved').waitFor();
    expect(await settingsOf()).toHaveProperty('holds', { secondAbove: { MXN: 2_000 }, heldAgainHours: 48 });
    expect(await wrongIn(window)).toEqual([]);
  }, 120_000);
});
