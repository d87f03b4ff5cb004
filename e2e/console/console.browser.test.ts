/**
 * The console against the real service with the demo's traffic, for an analyst, an author, an integrator and an
 * operator.
 * No page may reach another origin, log an error, or fail an accessibility check of axe.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import { intercept } from './intercept.ts';
import type { Watch } from './watched-page.ts';

const demo = '/console/w/demo-bank:production';
const trial = '/console/w/trial:development';
const policyText = `rules:
  - reason: 11
    name: Large payment
    on: [operation]
    when: order.amount > 10000
    then: { action: 2, message: Your session was closed. }
    mode: shadow
`;
/** The first test contradicts the rule. */
const failingTests = `tests:
  - name: a small payment is large
    given:
      - { at: +0s, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: 10, currency: MXN } } }
    expect: [{ reason: 11, action: 2, at: +0s }]
  - name: a small payment is none
    given:
      - { at: +0s, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: 10, currency: MXN } } }
    expect: []
`;

describe('the console', () => {
  let stage: ConsoleStage | undefined;
  let page: Page;
  let watch: Watch;
  let trialKey: string;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    trialKey = await makeTrial(stage);
    ({ page, watch } = await stage.open());
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const shows = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const press = (name: string): Promise<void> => page.getByRole('button', { name }).first().click();
  async function goTo(path: string, heading: string): Promise<void> {
    await page.goto(`${stage!.origin}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await watch.settled();
  }
  /** Takes a picture. @returns every problem: of accessibility, of scripts, or with another origin */
  async function wrongOn(picture: string): Promise<readonly string[]> {
    await watch.settled();
    await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  it('opens with the link of the first administrator', async () => {
    await page.goto(stage!.firstLink);
    await page.getByLabel('Your name').fill('Mara');
    await page.getByLabel('E-mail address').fill('mara@bank.example');
    await page.getByLabel('Password').fill('correct horse battery staple');
    expect(await wrongOn('first')).toEqual([]);
    await press('Create my account');
    await page.waitForURL('**/w/**');
  });

  it('shows an analyst the figures, the queue, the reasons and the linked entities', async () => {
    await goTo(demo, 'Overview');
    await shows('Top rules');
    await page.getByText('Active sessions').waitFor();
    await press('Masked');
    // Which rules fired most depends on how far the stories are.
    const top = page.locator('section', { has: page.getByRole('heading', { name: 'Top rules' }) });
    await top
      .getByRole('link', { name: /^\d+ ?\p{Lu}\p{Ll}+ /u })
      .nth(3)
      .waitFor();
    expect(await wrongOn('overview')).toEqual([]);

    await goTo(`${demo}/alerts`, 'Alerts');
    await page.keyboard.press('n');
    await shows('assigned to');
    await page.getByRole('heading', { name: 'Actions requested from the bank' }).waitFor();
    // Analysts need to know whether the client is already blocked.
    const asked = page.getByRole('main').getByText('Actions requested from the bank').locator('..');
    await asked.getByRole('link', { name: 'Executed Block the user' }).waitFor();
    expect(await wrongOn('alerts')).toEqual([]);
    await page.getByRole('heading', { name: 'Why' }).click();
    await shows('clientPayeeFirstPaid');
    await page.getByLabel('What did you find?').fill('Called: it was not the client.');
    await press('Comment');
    await shows('Ca•••t.');
    await page.getByLabel('What did you find?').blur();
    // The alert is refetched after a comment; until then its keys are ignored.
    await watch.settled();
    await page.locator('button:enabled', { hasText: 'Fraud' }).first().waitFor();
    // The stream may report the decision before the response arrives; the notice is shown either way.
    await intercept(page, '**/close', async (route) => {
      const response = await route.fetch();
      await shows('Change decision');
      await route.fulfill({ response });
    });
    await page.keyboard.press('f');
    await page.getByRole('dialog').getByRole('button', { name: 'Fraud' }).click();
    await shows('Decided: fraud');
    await page.unroute('**/close');
    // The decision was a mistake.
    await press('Legitimate');
    await shows('Decided: legitimate');
    expect(await wrongOn('alert that is closed')).toEqual([]);

    await goTo(`${demo}/search?text=bruno`, 'Search: bruno');
    expect(await wrongOn('search')).toEqual([]);
    await page.getByRole('link', { name: /Client bruno/ }).click();
    await shows('Timeline');
    expect(await wrongOn('client')).toEqual([]);
    await page.getByRole('link', { name: 'Habits' }).click();
    await shows('Activity by weekday and hour');
    await page.getByRole('heading', { name: 'Locations' }).waitFor();
    expect(await wrongOn('habits')).toEqual([]);
    await page.getByRole('link', { name: 'Link graph' }).click();
    await page
      .getByRole('img', { name: /Graph of linked/ })
      .locator('canvas')
      .first()
      .waitFor();
    expect(await wrongOn('graph')).toEqual([]);
    await page.goBack();
    await shows('Activity by weekday and hour');
  });

  it('shows the body of an event, why rules fired, and the response of the bank', async () => {
    await goTo(`${demo}/events?reason=301`, 'Events');
    expect(await wrongOn('events')).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await shows('clientPaid5m >= 6');
    await shows('Close the session');
    await shows('HTTP 200');
    expect(await wrongOn('event')).toEqual([]);

    await press('Explain');
    await shows('The result matches the recorded decision.');
    await page.getByRole('searchbox', { name: 'Search rules' }).fill('304');
    await page.locator('summary', { hasText: 'A new payee within a minute of the login' }).click();
    await shows('clientPayeeFirstPaid == 0s');
    expect(await wrongOn('why-not')).toEqual([]);
  });

  it('simulates other values on current data and on data at event time', async () => {
    await page.getByRole('link', { name: 'What if…' }).click();
    await page.getByRole('textbox', { name: 'order.amount' }).fill('99000');
    await shows('1 field changed');
    const attempt = page.locator('button[aria-busy=false]', { hasText: 'Simulate' });
    await attempt.click();
    await shows('current data (a few seconds old)');
    await page.getByLabel('Data at event time').check();
    await attempt.click();
    await shows('data and policy of the event time');
    await page.getByRole('heading', { name: /Still fires/ }).waitFor();
    await shows('A small test payment, then a large one');
    expect(await wrongOn('what-if')).toEqual([]);
    await press('Undo all');
    await page.getByText('1 field changed').waitFor({ state: 'detached' });
  });

  it('searches the history by a condition, and exports the results', async () => {
    await goTo(`${demo}/events?by=condition`, 'Events');
    const condition = page.getByRole('textbox', { name: 'Condition' });
    await condition.click();
    await page.keyboard.insertText('clientPaid5m >= 6 && order.amonut > 1');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await shows('there is no fact or feature order.amonut');
    expect(await wrongOn('find-mistake')).toEqual([]);
    await replaceAll(condition, page, 'order.amount > 900');
    await page.keyboard.press('Control+Enter');
    await page.locator('button:enabled', { hasText: 'CSV' }).waitFor();
    const clients = page.locator('section', { has: page.getByRole('heading', { name: 'Clients' }) }).getByRole('link');
    expect(await clients.count()).toBeGreaterThan(1);
    expect(await wrongOn('find-clients')).toEqual([]);
    await replaceAll(condition, page, 'clientPaid5m >= 6');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL('**condition=clientPaid5m**');
    await shows('Rules that also fire');
    await page.locator('button:enabled', { hasText: 'CSV' }).waitFor();
    await shows('Burst of payments');
    expect(await wrongOn('find')).toEqual([]);
    const file = page.waitForEvent('download');
    await press('CSV');
    expect((await file).suggestedFilename()).toBe('events.csv');
    await shows('in the audit log');
    expect(page.url()).toContain('condition=clientPaid5m');
  });

  it('reports the errors of a condition from a link with their positions', async () => {
    // A separate tab: the browser logs the refusal as an error.
    const tab = await page.context().newPage();
    await tab.goto(`${stage!.origin}${demo}/events?by=condition&condition=true%20%26%26%20order.amonut%20%3E%20900`);
    const told = await tab.getByRole('alert').filter({ hasText: 'order.amonut' }).innerText();
    expect(told.split(/\s*\n\s*/)).toEqual([
      'The condition has errors.',
      '1:9: there is no fact or feature order.amonut (order.amount)',
    ]);
    await tab.close();
  });

  it('lets an author edit, see errors, compare, apply and roll back', async () => {
    await goTo(`${trial}/policy`, 'Policy');
    await shows('Large payment');
    expect(await wrongOn('policy')).toEqual([]);
    await page.getByRole('link', { name: 'Edit' }).click();
    const editor = page.getByRole('textbox', { name: /Text of/ });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(
      '  - reason: 12\n    name: Odd\n    on: [operation]\n    when: order.amonut > 1\n    then: { action: 3, message: Hm }\n',
    );
    await shows(/did you mean|unknown|order\.amount/i);
    expect(await wrongOn('policy-mistake')).toEqual([]);
    await page.keyboard.press('Control+Home');
    await replaceAll(editor, page, policyText.replace('10000', '5000'));
    await shows('No errors');
    await press('Review and apply');
    await shows('order.amount > 5000');
    await shows('The policy has no tests');
    await page.getByLabel('Reason for the change').fill('smaller');
    expect(await wrongOn('policy-apply')).toEqual([]);
    await press('Save and activate');
    await shows('Version 2 is active');
    await page.getByRole('link', { name: 'Versions' }).click();
    await shows('smaller');
    expect(await wrongOn('versions')).toEqual([]);
    await press('Activate');
    await page.getByRole('dialog').getByLabel('Reason for the change').fill('too small');
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await shows('Version 1 is active');
  });

  it('lets a user add a rule without writing text, watch it in shadow, and set it live', async () => {
    await goTo(`${trial}/policy`, 'Policy');
    await press('New rule');
    await page.getByLabel('Name').fill('Large and soon');
    await page.getByLabel('Value').fill('50000');
    await press('Add condition');
    await page.getByLabel('Fact or feature').nth(1).fill('session.agee');
    await page.getByLabel('Operator').nth(1).selectOption('<');
    await page.getByLabel('Value').nth(1).fill('1h');
    await shows(/there is no fact or feature session.agee/);
    expect(await page.getByRole('button', { name: 'Add to draft' }).isDisabled()).toBe(true);
    await page.getByLabel('Fact or feature').nth(1).fill('session.age');
    await page.getByLabel('Action').selectOption('Close the session');
    await page.getByLabel('Message to the client').fill('{{order.amount}}: was it you?');
    expect(await wrongOn('new-rule')).toEqual([]);
    await press('Add to draft');
    const mode = page.getByLabel('Mode of rule 12');
    expect(await mode.inputValue()).toBe('shadow');
    await letDecide('New rule: large and soon.');
    await mode.selectOption('Live');
    expect(await wrongOn('mode')).toEqual([]);
    await letDecide('It does well.');
    expect(await mode.inputValue()).toBe('live');
    await page.getByText('Unpublished changes').waitFor({ state: 'detached' });
  });

  async function letDecide(why: string): Promise<void> {
    await press('Review and apply');
    await page.getByLabel('Reason for the change').fill(why);
    await press('Save and activate');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('does not apply a policy with failing tests, unless its author confirms', async () => {
    await goTo(`${trial}/policy?tab=text`, 'Policy');
    const editor = page.getByRole('textbox', { name: /Text of/ });
    await replaceAll(editor, page, `${policyText.replace('10000', '20000')}${failingTests}`);
    await shows('No errors');
    // The first response is delayed until the page shows that it is waiting.
    await intercept(page, '**/policies/test', async (route) => {
      await shows('Running the tests of the policy…');
      expect(await page.getByRole('button', { name: 'Save and activate' }).isDisabled()).toBe(true);
      await route.continue();
    });
    await press('Review and apply');
    await shows('Tests: 1 passed, 1 failed');
    await page.unroute('**/policies/test');
    const failing = page.getByRole('list', { name: 'Failing tests' });
    await failing.getByText(/^expected .*\b11\b/).waitFor();
    expect(await failing.getByRole('listitem').count()).toBe(1);
    await page.getByLabel('Reason for the change').fill('by hand');
    const keep = page.getByRole('button', { name: 'Save and activate' });
    expect(await keep.isDisabled()).toBe(true);
    expect(await wrongOn('policy-tests-fail')).toEqual([]);
    // To the failing test, and back.
    await failing.getByRole('link', { name: /rules\.yaml:\d+/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('Review and apply');
    await page.getByLabel('Reason for the change').fill('by hand');
    await page.getByLabel('Continue despite 1 failing test').check();
    await keep.click();
    await shows('Version 5 is active');
  });

  it('shows errors below a long text', async () => {
    await goTo(`${trial}/policy?tab=text`, 'Policy');
    const editor = page.getByRole('textbox', { name: /Text of/ });
    const remarks = '# A remark.\n'.repeat(200);
    const mistaken = Array.from({ length: 7 }, (_, at) =>
      policyText
        .slice('rules:\n'.length)
        .replace('11', String(21 + at))
        .replace('Large payment', `Large payment ${at}`)
        .replace('order.amount', 'order.amonut'),
    );
    await replaceAll(editor, page, `${remarks}rules:\n${mistaken.join('')}`);
    const mistakes = page.getByRole('list', { name: 'Errors and warnings' });
    await expect.poll(() => mistakes.getByRole('listitem').count()).toBe(7);
    // Maximum height in pixels: one row is 25.
    expect((await mistakes.boundingBox())!.height).toBeGreaterThanOrEqual(140);
    expect(await wrongOn('policy-mistakes')).toEqual([]);
    // The caret is at the end of the text, above the list that has just grown.
    const caret = await page.locator('.cm-cursor-primary').boundingBox();
    expect(caret!.y + caret!.height).toBeLessThanOrEqual((await mistakes.boundingBox())!.y);
    await press('Discard');
  });

  it('loads again what could not be reached, once the service is back', async () => {
    // A separate tab: the browser logs unanswered requests as errors.
    const tab = await page.context().newPage();
    await tab.goto(`${stage!.origin}${demo}`);
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await intercept(tab, '**/management/**', (route) => route.abort('connectionrefused'));
    await tab.keyboard.press('g');
    await tab.keyboard.press('e');
    await tab.getByText('The service cannot be reached.').waitFor();
    await tab.unroute('**/management/**');
    await tab.getByRole('table', { name: 'Events' }).getByRole('link').first().waitFor();
    expect(await tab.getByText('The service cannot be reached.').count()).toBe(0);
    await tab.close();
  });

  it('runs the tests of a policy and shows the health of its rules', async () => {
    await goTo(`${demo}/policy?tab=tests`, 'Policy');
    await press('Run tests');
    await shows('0 failed');
    await shows('Rules without a near-miss test');
    expect(await wrongOn('policy-tests')).toEqual([]);
    await page.getByRole('link', { name: 'Health' }).click();
    await shows('Rule health');
    await shows('Burst of payments');
    expect(await wrongOn('policy-health')).toEqual([]);
    // Sorted by number: the first rule of the policy.
    const rows = page.getByRole('row');
    await page.getByRole('button', { name: 'Rule', exact: true }).click();
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Rule' }).getAttribute('aria-sort'))
      .toBe('ascending');
    const numbers = async (): Promise<readonly number[]> =>
      (await rows.allInnerTexts()).slice(1).map((text) => Number.parseInt(text, 10));
    const sorted = await numbers();
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
    await page.getByRole('img', { name: 'Matches of Burst of payments by day' }).waitFor();
    await press('Days and versions of Burst of payments');
    await page.getByRole('table', { name: 'By version' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('table', { name: 'By week' }).getByRole('row').nth(1).waitFor();
    expect(await wrongOn('policy-health-open')).toEqual([]);
  });

  it('shows an integrator completed steps and rejected requests', async () => {
    await goTo(`${trial}/integration`, 'Integration');
    await shows('of 8 done');
    expect(await tell('login', { channelId: 1, user: 'ana', session: 'a', publicIp: '203.0.113.7', data: '' })).toBe(
      200,
    );
    expect(await tell('login', { channelId: 1, session: 'a' })).toBe(422);
    await shows('/user');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'A login arrived' })
      .getByRole('img', { name: 'Done' })
      .waitFor();
    expect(await wrongOn('integration')).toEqual([]);
    await goTo(trial, 'Overview');
    await shows('1 login, 0 operations');
  });

  it('lets an operator test, pause and resume deliveries', async () => {
    await goTo(`${demo}/deliveries`, 'Deliveries');
    await press('Send test action');
    await page.getByRole('dialog').getByText('The webhook works').waitFor();
    await page.keyboard.press('Escape');
    await press('Pause sending');
    await shows('Sending is paused');
    expect(await wrongOn('deliveries')).toEqual([]);
    await press('Resume sending');
    await page.getByRole('button', { name: 'Pause sending' }).waitFor();
    await goTo(`${demo}/audit`, 'Audit');
    expect(await wrongOn('audit')).toEqual([]);
    await goTo(`${demo}/settings`, 'Settings');
    await shows('mara@bank.example');
    expect(await wrongOn('settings')).toEqual([]);
  });

  it('supports the dark theme, Spanish and the keyboard', async () => {
    await goTo(demo, 'Overview');
    await page.keyboard.press('?');
    await shows('Keyboard shortcuts');
    expect(await wrongOn('keys')).toEqual([]);
    await page.keyboard.press('Escape');
    await press('Account of Mara');
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await press('Account of Mara');
    await page.getByRole('menuitem', { name: 'Español' }).click();
    await page.getByRole('heading', { level: 1, name: 'Resumen' }).waitFor();
    await shows('con un evento en los últimos 30 minutos, incluidas las terminadas');
    expect(await wrongOn('dark')).toEqual([]);
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: 'Alertas' }).waitFor();
    expect(await wrongOn('alerts-dark')).toEqual([]);
    await goTo(`${demo}/events?by=condition&condition=clientPaid5m%20%3E%3D%206`, 'Eventos');
    await shows('Reglas que también se disparan');
    await page.locator('button:enabled', { hasText: 'CSV' }).waitFor();
    expect(await wrongOn('find-dark')).toEqual([]);
    await page.getByRole('table', { name: 'Eventos' }).getByRole('link').first().click();
    await press('Explicar');
    await shows('El resultado coincide con la decisión registrada.');
    expect(await wrongOn('why-not-dark')).toEqual([]);
    await page.getByRole('link', { name: 'Y si…' }).click();
    await page.getByRole('textbox', { name: 'order.amount' }).fill('99000');
    await press('Simular');
    await shows('datos actuales (de hace unos segundos)');
    expect(await wrongOn('what-if-dark')).toEqual([]);
    await goTo(`${demo}/policy?tab=health`, 'Política');
    await shows('Estado de las reglas');
    expect(await wrongOn('policy-health-dark')).toEqual([]);
    await goTo(trial, 'Resumen');
    await shows('1 acceso, 0 operaciones');
  });

  async function tell(kind: string, body: object): Promise<number> {
    const response = await fetch(`${stage!.eventsOrigin}/api-dev/v5/analytics/app/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${trialKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  }
});

/** A workspace that is managed by the API, with one rule. @returns its license key */
async function makeTrial({ origin, adminToken }: ConsoleStage): Promise<string> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${origin}/management/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, `POST ${path}`).toBe(true);
    return response.json();
  };
  const made = (await post('/workspaces', { name: 'trial', environment: 'development' })) as {
    readonly keys: readonly { readonly text: string }[];
  };
  const files = [{ path: 'rules.yaml', text: policyText }];
  await post('/workspaces/trial:development/policies', { files, author: 'mara', comment: 'the first' });
  return made.keys[0]!.text;
}

async function replaceAll(editor: ReturnType<Page['getByRole']>, page: Page, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('Control+A');
  // Chromium would keep the style of a replaced selection in an element that the policy refuses.
  await page.keyboard.press('Backspace');
  await page.keyboard.insertText(text);
}
