/** A policy that needs two people, from the author's request to the answer, and its emergency path. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, type Opened, openConsoleStage } from './console-stage.ts';

const name = 'two:development';
const before = `actions: { 6: Call the client }
lists:
  mules: { of: payee.id, live: true, items: [B1/666] }
rules:
  - reason: 11
    name: Payment to a mule
    on: [operation]
    when: payee.id in lists.mules
    then: { action: 2, message: Your session was closed. }
    mode: shadow
`;
const after = `${before}  - reason: 12
    name: Many payments
    on: [operation]
    when: paidHour > 5
    then: { action: 6 }
features:
  paidHour: { count: true, by: client.id, over: 1h }
tests:
  - name: one payment alone
    given:
      - { at: +0s, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: 10, currency: MXN } } }
    expect: []
  - name: a rule that does not fire
    given:
      - { at: +0s, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: 10, currency: MXN } } }
    expect: [{ reason: 12, action: 6, at: +0s }]
`;
const files = (text: string) => [{ path: 'rules.yaml', text }];

describe('a policy that needs two people', () => {
  let stage: ConsoleStage | undefined;
  let author: Opened;
  let approver: Opened;
  let lead: Opened;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    const made = await stage.call<{ id: string }>('POST', '/workspaces', { name: 'two', environment: 'development' });
    await stage.call('POST', `/workspaces/${name}/policies`, {
      files: files(before),
      author: 'mara',
      comment: 'first',
    });
    await stage.call('PATCH', `/workspaces/${name}`, { settings: { fourEyes: true } });
    const as = (person: string, role: string) => stage!.openAs({ name: person, workspace: made.id, role });
    [author, approver, lead] = [
      await as('Luis', 'author'),
      await as('Nora', 'approver'),
      await as('Ines', 'administrator'),
    ];
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const at = (path: string): string => `${stage!.origin}/console/w/${name}${path}`;
  const shows = ({ page }: Opened, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const press = ({ page }: Opened, label: string): Promise<void> =>
    page.getByRole('button', { name: label, exact: true }).first().click();
  const wrongIn = async ({ watch }: Opened, picture?: string): Promise<readonly string[]> => {
    await watch.settled();
    if (picture !== undefined) await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  };

  it('shows the approver what it changes, and the author the answer', async () => {
    await author.page.goto(at('/policy?tab=text'));
    await author.page.getByRole('textbox', { name: /Text of/ }).click();
    await author.page.keyboard.press('Control+A');
    await author.page.keyboard.press('Backspace');
    await author.page.keyboard.insertText(after);
    await shows(author, 'No errors');
    await press(author, 'Review and apply');
    await author.page.getByLabel('Reason for the change').fill('many payments in an hour');
    await author.page.getByLabel('Continue despite 1 failing test').check();
    await press(author, 'Request approval');
    await shows(author, 'Version 2 waits for the approval of another person.');
    expect(await wrongIn(author)).toEqual([]);

    const { page } = approver;
    await page.goto(at('/policy?tab=versions'));
    const request = page.getByRole('listitem').filter({ hasText: 'many payments in an hour' }).first();
    await request.getByText('Call the client (6)').waitFor();
    await request.getByText('paidHour: { count: true, by: client.id, over: 1h }').waitFor();
    await request.getByText('read by 12').waitFor();
    await request.getByText('1 passed').waitFor();
    await request.getByText('a rule that does not fire').waitFor();
    await request.getByRole('button', { name: 'Run backtest' }).click();
    await request.getByRole('button', { name: 'Show full result' }).waitFor({ timeout: 60_000 });
    await request.getByRole('row', { name: /Flagged events/ }).waitFor();
    expect(await wrongIn(approver, 'approve')).toEqual([]);
    await request.getByRole('button', { name: 'Approve' }).click();

    // The author's page follows without a reload. An answer without words ends at the name.
    await shows(author, 'nora@bank.example approved version 2.');
    await shows(author, 'Version 2 is active.');
    await shows(approver, /^nora@bank\.example$/);
    expect(await approver.page.getByText('nora@bank.example:').count()).toBe(0);
    expect(await wrongIn(author)).toEqual([]);
    await author.page.getByRole('button', { name: 'Dismiss the answer about version 2' }).click();
    await author.page.getByText('nora@bank.example approved version 2.').waitFor({ state: 'detached' });
  }, 180_000);

  it('is activated by one person in an emergency, until a second one rejects it', async () => {
    await lead.page.goto(at('/policy?tab=versions'));
    await lead.page.getByRole('button', { name: 'Emergency…' }).last().click();
    const dialog = lead.page.getByRole('dialog');
    await dialog.getByText('Then version 2 comes back').waitFor();
    await dialog.getByLabel('Why it cannot wait').fill('honest clients are called');
    expect(await wrongIn(lead)).toEqual([]);
    await dialog.getByRole('button', { name: 'Activate now' }).click();
    await shows(lead, 'Version 1 is active.');
    await shows(lead, /ines@bank\.example activated version 1 alone\./);
    expect(await wrongIn(lead, 'emergency')).toEqual([]);

    // Everybody sees it, whatever page of the policy is open.
    await shows(author, /ines@bank\.example activated version 1 alone\./);
    await shows(approver, /ines@bank\.example activated version 1 alone\./);
    const request = approver.page.getByRole('listitem').filter({ hasText: 'honest clients are called' });
    await request.getByRole('button', { name: 'Confirm' }).waitFor();
    await request.getByLabel('Reason for the change').fill('they are mules');
    await request.getByRole('button', { name: 'Reject' }).click();
    await shows(lead, 'nora@bank.example rejected version 1.');
    await shows(lead, '“they are mules”');
    await shows(lead, 'Version 2 is active.');
    expect(await wrongIn(approver)).toEqual([]);
  }, 120_000);
});
