/**
 * Access control: second factors, rate limiting of wrong codes, approval of policies by a second person, and tokens of
 * programs. Also the lists of analysts.
 */
import { createHmac } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import { intercept } from './intercept.ts';
import { scanPicture } from './scan-picture.ts';
import type { Watch } from './watched-page.ts';

const password = 'correct horse battery staple';
const policyText = `lists:
  mules: { of: payee.id, live: true, items: [B1/666] }
  pairs: { of: [payee.id, client.id], live: true }
rules:
  - reason: 11
    name: Payment to a mule
    on: [operation]
    when: payee.id in lists.mules || [payee.id, client.id] in lists.pairs
    then: { action: 2, message: Your session was closed. }
    mode: shadow
`;
/** An unused payee, so that the rule fires on nothing. */
const failingTests = `tests:
  - name: a payment to nobody
    given:
      - { at: +0s, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: 10, currency: MXN } } }
    expect: [{ reason: 11, action: 2, at: +0s }]
`;

interface Window {
  readonly page: Page;
  readonly watch: Watch;
}

describe('people in the console', () => {
  let stage: ConsoleStage | undefined;
  let workspace: string;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    const made = await call('POST', '/workspaces', { name: 'eyes', environment: 'development' });
    workspace = (made as { readonly id: string }).id;
    await writePolicy(policyText);
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${stage!.origin}/management/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${stage!.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
    return response.json();
  }

  const writePolicy = (text: string): Promise<unknown> =>
    call('POST', '/workspaces/eyes:development/policies', {
      files: [{ path: 'rules.yaml', text }],
      author: 'mara',
      comment: 'the first',
    });

  /** Creates a user with these roles, who sets a password and logs in. */
  async function person(name: string, roles: readonly string[], where = workspace): Promise<Window> {
    const email = `${name.toLowerCase()}@bank.example`;
    const granted = [{ workspace: where, roles }];
    const made = (await call('POST', '/accounts', { email, name, roles: granted })) as {
      readonly invitation: { readonly path: string };
    };
    const window = await stage!.open();
    await window.page.goto(`${stage!.origin}${made.invitation.path}`);
    await window.page.getByLabel('Password').fill(password);
    expect(await wrongIn(window)).toEqual([]);
    await window.page.getByRole('button', { name: 'Set password' }).click();
    await logIn(window.page, email);
    await window.page.waitForURL('**/w/**');
    return window;
  }

  async function logIn(page: Page, email: string): Promise<void> {
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  async function logOut(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: `Account of ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  }

  const shows = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const at = (path: string): string => `${stage!.origin}/console/w/eyes:development${path}`;

  /** Every problem, except the expected ones: refused items and rate-limited codes. */
  async function wrongIn({ watch }: Window, picture?: string): Promise<readonly string[]> {
    await watch.settled();
    if (picture !== undefined) await watch.picture(picture);
    const errors = watch.errors.filter((text) => !/status of (?:422|429)/.test(text));
    return [...(await watch.accessibility()), ...watch.strangers, ...errors];
  }

  it('adds list items, imports them with errors reported, removes and restores them', async () => {
    const window = await person('Ana', ['analyst']);
    const { page } = window;
    await page.goto(at('/lists'));
    await shows(page, 'Payment to a mule');
    expect(await wrongIn(window)).toEqual([]);
    await page.getByRole('link', { name: 'mules' }).click();
    await shows(page, 'The list is empty');
    await press(page, 'Masked');
    await press(page, 'Add item');
    await page.getByLabel('payee.id').fill('B1/4711');
    await page.getByLabel('Expires').selectOption('30');
    await page.getByLabel('Reason').fill('told by another bank');
    expect(await wrongIn(window)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add item' }).click();
    await shows(page, 'B1/4711');

    await press(page, 'Import');
    const rows = 'B1/1\nB1/2,2099-01-01T00:00:00Z\nB1/3,soon\nB1/4,2020-01-01T00:00:00Z\n';
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'mules.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
    await shows(page, 'the expiry is not a valid time');
    expect(await wrongIn(window)).toEqual([]);
    await page.getByRole('dialog').getByLabel('Reason').fill('a feed');
    await press(page, 'Import 3 items');
    await shows(page, /Its end is in the past/);
    await shows(page, 'Imported 2 items.');
    await page.keyboard.press('Escape');

    await page
      .getByRole('row', { name: /B1\/4711/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await page.getByLabel('Reason').fill('was honest');
    expect(await wrongIn(window)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'Ended' }).click();
    await shows(page, 'Removed');
    await press(page, 'Undo');
    await shows(page, 'No items have expired or been removed in the last 30 days');
    await page.getByRole('link', { name: 'On the list' }).click();
    await shows(page, 'B1/4711');
    const download = page.waitForEvent('download');
    await press(page, 'Export');
    expect((await download).suggestedFilename()).toBe('mules.csv');
    expect(await wrongIn(window, 'list')).toEqual([]);
  }, 120_000);

  it('creates a token for a program, shows it once, and revokes it', async () => {
    const window = await person('Zoe', ['administrator'], '*');
    const { page } = window;
    await page.goto(at('/settings'));
    // The demo's analyst has a token, which is in use.
    const row = (name: string): Locator => page.getByRole('listitem').filter({ hasText: name });
    await row('demo-analyst').getByText('used', { exact: false }).first().waitFor();
    expect(await row('chargebacks').count()).toBe(0);
    await press(page, 'Create token');
    await page.getByLabel('Name').fill('chargebacks');
    await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'eyes:development' });
    await page.getByLabel('labels:write').check();
    await page.getByLabel('events:read').check();
    expect(await wrongIn(window, 'create-token')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const text = (await page
      .getByRole('dialog')
      .getByText(/^rf_token_/)
      .textContent())!.trim();
    expect(await wrongIn(window)).toEqual([]);
    await page.keyboard.press('Escape');
    await row('chargebacks').getByText('never used').waitFor();
    const ask = (path: string): Promise<Response> =>
      fetch(`${stage!.origin}/management/v1/workspaces/${workspace}${path}`, {
        headers: { authorization: `Bearer ${text}` },
      });
    expect((await ask('/events')).status).toBe(200);
    expect((await ask('/keys')).status).toBe(403);
    expect(await wrongIn(window, 'tokens')).toEqual([]);
    await row('chargebacks').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row('chargebacks').getByText('Revoked').waitFor();
    expect((await ask('/events')).status).toBe(401);
    expect(await wrongIn(window)).toEqual([]);
  }, 120_000);

  it('merges the changes of two authors, and reverts no change that one of them has not seen', async () => {
    const window = await person('Ines', ['author']);
    const { page } = window;
    await page.goto(at('/policy?tab=text'));
    await replaceAll(page, policyText.replace('name: Payment to a mule', 'name: Mine'));
    await shows(page, 'Unpublished changes');
    // Another author changes another place first.
    await writePolicy(policyText.replace('[B1/666]', '[B1/667]'));
    await shows(page, 'Version 2 is active.');
    await page
      .getByRole('textbox', { name: /Text of/ })
      .getByText('B1/667')
      .waitFor();
    await expect.poll(() => page.getByText('another version is active now').count()).toBe(0);
    // And again, before this page has received the first change.
    await intercept(page, '**/workspaces/eyes%3Adevelopment', (route) => route.abort());
    await writePolicy(policyText.replace('[B1/666]', '[B1/668]'));
    await press(page, 'Review and apply');
    await page.getByLabel('Reason for the change').fill('because');
    await press(page, 'Save and activate');
    await page.getByRole('dialog').getByText('Version 3 is active now').waitFor();
    await page.unroute('**/workspaces/eyes%3Adevelopment');
    await shows(page, 'Version 3 is active.');
    await press(page, 'Save and activate');
    await shows(page, 'Version 4 is active, starting');
    await page
      .getByRole('textbox', { name: /Text of/ })
      .getByText('B1/668')
      .waitFor();
    await page
      .getByRole('textbox', { name: /Text of/ })
      .getByText('Mine')
      .waitFor();
    await expect.poll(() => page.getByText('Unpublished changes').count()).toBe(0);

    // A conflict in one line needs a person.
    await replaceAll(page, policyText.replace('name: Payment to a mule', 'name: Mine again'));
    await writePolicy(policyText.replace('name: Payment to a mule', 'name: Theirs'));
    await shows(page, 'Your draft is based on version 4, but another version is active now');
    await press(page, 'Review and apply');
    await page.getByRole('dialog').getByText('another version is active now').waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Discard');
    await writePolicy(policyText);
    await page.context().close();
  }, 120_000);

  it('activates a policy only after the approval of a second person', async () => {
    await call('PATCH', '/workspaces/eyes:development', { settings: { fourEyes: true } });
    const author = await person('Luis', ['author', 'approver']);
    const approver = await person('Nora', ['approver']);

    await write(author, `${policyText.replace('name: Payment to a mule', 'name: Refused')}${failingTests}`);
    const goOn = author.page.getByLabel('Continue despite 1 failing test');
    await goOn.waitFor();
    expect(await author.page.getByRole('button', { name: 'Request approval' }).isDisabled()).toBe(true);
    await goOn.check();
    await ask(author);
    await author.page.goto(at('/policy?tab=versions'));
    await shows(author.page, 'Pending');
    // The requester cannot approve, whatever the roles.
    expect(await author.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await author.page.getByRole('button', { name: 'Withdraw' }).count()).toBe(1);
    expect(await wrongIn(author, 'four-eyes')).toEqual([]);

    await answer(approver, 'Reject', 'not now');
    await shows(approver.page, 'Rejected');
    await write(author, policyText.replace('name: Payment to a mule', 'name: Approved by two'));
    await ask(author);
    // Another version becomes active before the approver's page knows. In a separate tab, which is offline meanwhile.
    const tab = await approver.page.context().newPage();
    await tab.goto(at('/policy?tab=versions'));
    await tab.getByText('Name').first().waitFor();
    await intercept(tab, '**/workspaces/eyes%3Adevelopment', (route) => route.abort());
    await call('PATCH', '/workspaces/eyes:development', { settings: { fourEyes: false } });
    await writePolicy(policyText.replace('[B1/666]', '[B1/669]'));
    await call('PATCH', '/workspaces/eyes:development', { settings: { fourEyes: true } });
    await press(tab, 'Approve');
    await shows(tab, /is active now, not version .* Check what it changed/);
    await tab.unroute('**/workspaces/eyes%3Adevelopment');
    await shows(tab, /changes below were recalculated/);
    await tab.close();
    await answer(approver, 'Approve', 'looked at it');
    await shows(approver.page, 'Approved');
    await approver.page.goto(at('/policy'));
    await shows(approver.page, 'Approved by two');
    expect(await wrongIn(approver)).toEqual([]);

    // A rollback needs approval too.
    await author.page.goto(at('/policy?tab=versions'));
    await author.page.getByRole('button', { name: 'Activate' }).first().click();
    await author.page.getByRole('dialog').getByLabel('Reason for the change').fill('it hurt honest clients');
    expect(await wrongIn(author)).toEqual([]);
    await ask(author);
    await answer(approver, 'Approve', 'back to before');
    await approver.page.getByRole('listitem').filter({ hasText: 'back to before' }).getByText('Approved').waitFor();
    await approver.page.goto(at('/policy'));
    await approver.page.getByText('Approved by two').waitFor({ state: 'detached' });
  }, 180_000);

  // Last, because wrong codes rate-limit the whole IP address.
  it('offers no passwords and no password links if only the provider can log users in', async () => {
    await call('POST', '/accounts', { email: 'otto@bank.example', name: 'Otto', roles: [] });
    const window = await person('Olga', ['administrator'], '*');
    const { page } = window;
    await page.goto(at('/settings'));
    await shows(page, 'Invite user');
    await page.getByRole('button', { name: 'New password link' }).first().waitFor();
    const options = { first: false, password: false, openId: { name: 'Bank log-in', path: '/console/at-the-bank' } };
    await page.route('**/session/options', (route) => route.fulfill({ json: options }));
    await page.reload();
    await shows(page, 'Only Bank log-in can log users in here.');
    await page.getByRole('button', { name: 'Disable' }).first().waitFor();
    for (const name of ['Invite user', 'New password link'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    expect(await wrongIn(window)).toEqual([]);
    await logOut(page, 'Olga');
    await page.getByRole('link', { name: 'Bank log-in' }).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    expect(await wrongIn(window)).toEqual([]);
  });

  it('supports a second factor and recovery codes at login, and limits the rate of wrong codes', async () => {
    const window = await person('Eva', ['analyst']);
    const { page } = window;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto(at('/settings'));
    // The audit log is for administrators; others have no link to it.
    await page.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await press(page, 'Set up a second factor');
    await page.locator('dialog input[type=password]:focus').waitFor();
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    const picture = page.getByRole('img', { name: /^QR code/ });
    const scanned = await scanPicture(picture);
    const secret = new URL(scanned).searchParams.get('secret')!;
    expect(await page.getByLabel('Secret of the second factor').innerText()).toBe(secret);
    expect(await page.getByLabel('Setup URI of the second factor').innerText()).toBe(scanned);
    expect(scanned).toMatch(/^otpauth:\/\/totp\/Ringfence:eva%40bank\.example\?/);
    expect(await wrongIn(window, 'second-factor')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('[data-theme=dark]').waitFor();
    expect(await scanPicture(picture)).toBe(scanned);
    expect(await wrongIn(window, 'second-factor-dark')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    // Correct but outdated.
    await page.getByLabel('Code from the app').fill(codeOf(secret, -120));
    await press(page, 'Confirm');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code from the app').fill(codeOf(secret, 0));
    await press(page, 'Confirm');
    const recovery = (await page.getByLabel('Recovery codes').innerText()).trim().split(/\s+/);
    expect(recovery).toHaveLength(10);
    expect(await wrongIn(window)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await shows(page, 'A code is required at login.');
    // The focus returns to its place before the dialog.
    await page.locator('main button:focus').waitFor();
    const audit = JSON.stringify(await call('GET', '/audit?limit=100'));
    expect(audit).toContain('eva@bank.example');
    for (const written of [audit, stage!.serviceLog(), page.url(), ...asked]) expect(written).not.toContain(secret);

    await logOut(page, 'Eva');
    await logIn(page, 'eva@bank.example');
    // The setup code is used up: the next one is needed.
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    expect(await wrongIn(window)).toEqual([]);
    await press(page, 'Log in');
    await page.waitForURL('**/w/**');

    await logOut(page, 'Eva');
    await logIn(page, 'eva@bank.example');
    await page.getByLabel('Code', { exact: true }).fill(recovery[0]!);
    await press(page, 'Log in');
    await page.waitForURL('**/w/**');

    await logOut(page, 'Eva');
    await logIn(page, 'eva@bank.example');
    const code = page.getByLabel('Code', { exact: true });
    const answerOf = async (button: string): Promise<number> => {
      const answered = page.waitForResponse((response) => response.url().endsWith('/session'));
      await press(page, button);
      return (await answered).status();
    };
    // Ten attempts of a browser that is known, then ten of its address; slow machines regain some meanwhile.
    let [tries, status] = [0, 401];
    while (status === 401 && tries < 30) {
      await code.fill(`00000${tries++ % 10}`);
      status = await answerOf('Log in');
    }
    expect([status, tries >= 8]).toEqual([429, true]);
    await code.fill(recovery[1]!);
    expect(await answerOf('Log in')).toBe(429);
    await page.getByRole('alert').waitFor();
    expect(await wrongIn(window)).toEqual([]);
  }, 180_000);

  /** Writes a policy and opens its changes. */
  async function write(window: Window, text: string): Promise<void> {
    const { page } = window;
    await page.goto(at('/policy?tab=text'));
    await replaceAll(page, text);
    await shows(page, 'No errors');
    await press(page, 'Review and apply');
    await page.getByLabel('Reason for the change').fill('because');
  }

  async function replaceAll(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: /Text of/ }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText(text);
  }

  async function ask(window: Window): Promise<void> {
    const { page } = window;
    expect(await wrongIn(window)).toEqual([]);
    await press(page, 'Request approval');
    await shows(page, 'Approval requested. Another person has to approve it.');
  }

  async function answer(window: Window, act: 'Approve' | 'Reject', why: string): Promise<void> {
    const { page } = window;
    await page.goto(at('/policy?tab=versions'));
    await page.getByLabel('Reason for the change').first().fill(why);
    expect(await wrongIn(window)).toEqual([]);
    await page.getByRole('button', { name: act }).first().click();
    await shows(page, why);
  }
});

/** A code of an authenticator app, some steps of thirty seconds from now. Source: RFC 6238 */
function codeOf(secret: string, steps: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = secret
    .split('')
    .map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest.at(-1)! & 15;
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}
