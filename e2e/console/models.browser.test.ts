/** A model's life: trained by an author, approved by a second person, in shadow, live, compared, and taken back. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { browserPatienceMs } from '../harness/browser-patience.ts';
import { runCommand } from '../harness/command.ts';
import { type ConsoleStage, type Opened, openConsoleStage } from './console-stage.ts';

const name = 'cards:development';
const policy = `features:
  payeeRun: { fraudRun: true, after: 7d, by: payee.id, over: 30d }
models:
  payments:
    on: [operation]
    inputs: { amount: order.amount, payeeRun: payeeRun }
rules:
  - reason: 700
    name: Likely fraud by the model
    on: [operation]
    when: model.payments.p > 0.5
    then: { action: 4, message: Please call us. }
    mode: shadow
`;

/** Amounts above 900 are fraud, and so are most payments to every tenth payee. */
function history(days: number, aDay: number): string {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const rows = Array.from({ length: days * aDay }, (_, row) => {
    const [payee, amount] = [random(50), 1 + random(1_000)];
    const isFraud = amount > 900 || (payee % 10 === 0 && random(4) > 0);
    const at = 1_600_000_000 + row * (86_400 / aDay);
    return `${at},c${random(100)},p${payee},${amount}.50,${isFraud ? 1 : 0}`;
  });
  return `at,client,payee,amount,fraud\n${rows.join('\n')}\n`;
}

const mapping = `time: { column: at, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation:
  channelId: { value: 1 }
  account.client: client
  accountTo.accountNumber: payee
  order.amount: amount
  order.currency: { value: MXN }
`;

describe('a model', { timeout: 240_000 }, () => {
  let stage: ConsoleStage | undefined;
  let folder: string;
  let author: Opened;
  let approver: Opened;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    const made = await stage.call<{ id: string }>('POST', '/workspaces', { name: 'cards', environment: 'development' });
    await stage.call('POST', `/workspaces/${name}/policies`, {
      files: [{ path: 'rules.yaml', text: policy }],
      author: 'mara',
      comment: 'first',
    });
    await stage.call('PATCH', `/workspaces/${name}`, { settings: { fourEyes: true } });
    folder = await mkdtemp(join(tmpdir(), 'ringfence-models-'));
    await writeFile(join(folder, 'payments.csv'), history(80, 60));
    await writeFile(join(folder, 'mapping.yaml'), mapping);
    const files = [join(folder, 'payments.csv'), '-m', join(folder, 'mapping.yaml')];
    const imported = await runCommand(['import', ...files, '-w', 'cards/development', '--config', stage.configFile], {
      USER: 'luis',
    });
    if (imported.code !== 0) throw new Error(imported.stderr);
    [author, approver] = [
      await stage.openAs({ name: 'Luis', workspace: made.id, role: 'author' }),
      await stage.openAs({ name: 'Nora', workspace: made.id, role: 'approver' }),
    ];
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(async () => {
    await stage?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const at = (path: string): string => `${stage!.origin}/console/w/${name}${path}`;
  const shows = ({ page }: Opened, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const press = ({ page }: Opened, label: string): Promise<void> =>
    page.getByRole('button', { name: label, exact: true }).first().click();
  const wrongIn = async ({ watch }: Opened, picture?: string): Promise<readonly string[]> => {
    await watch.settled();
    if (picture !== undefined) await watch.picture(picture);
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  };
  /** The draft becomes a version once the second person has approved it. */
  const applyAndApprove = async (reason: string): Promise<void> => {
    await press(author, 'Review and apply');
    await author.page.getByLabel('Reason for the change').fill(reason);
    await press(author, 'Request approval');
    await shows(author, /waits for the approval of another person/);
    await approver.page.goto(at('/policy?tab=versions'));
    const request = approver.page.getByRole('listitem').filter({ hasText: reason }).first();
    await request.getByRole('button', { name: 'Approve' }).click();
    await shows(author, /nora@bank\.example approved version/);
  };
  const train = async (): Promise<void> => {
    await author.page.goto(at('/policy?tab=models'));
    await press(author, 'Train');
    const dialog = author.page.getByRole('dialog');
    await dialog.getByLabel('Events').selectOption('payments');
    await dialog.getByRole('combobox', { name: 'amount' }).selectOption('up');
    expect(await wrongIn(author)).toEqual([]);
    const report = author.page.getByRole('heading', { name: 'Choose a threshold' });
    await dialog.getByRole('button', { name: 'Train' }).click();
    // The backtest of a draft that was just left may still be ending, and only one runs at a time.
    const oneAtATime = dialog.getByText('Only one can run at a time');
    const again = { timeout: browserPatienceMs, interval: 500 };
    await expect
      .poll(async () => {
        if (await oneAtATime.isVisible()) await dialog.getByRole('button', { name: 'Train' }).click();
        return report.isVisible();
      }, again)
      .toBe(true);
  };

  it('is trained in the background, and its report helps to choose a threshold', async () => {
    await train();
    const { page } = author;
    await page.getByRole('region', { name: 'By kind of event' }).getByText('Channel 1').waitFor();
    await page.getByLabel('We can work on this many alerts a day').fill('5');
    const threshold = page.getByRole('region', { name: 'Choose a threshold' }).getByRole('status').first();
    const few = await threshold.innerText();
    await page.getByLabel('We can work on this many alerts a day').fill('20');
    expect(await threshold.innerText()).not.toBe(few);
    expect(few).toMatch(/^Score \d/);
    await page.getByLabel(/Work on one alert costs/).fill('100');
    await shows(author, /^The lowest cost|^Lowest cost/);
    expect(await wrongIn(author, 'model-report')).toEqual([]);
  });

  it('goes into the draft, is approved by a second person, and decides in shadow', async () => {
    await press(author, 'Use in the draft');
    await shows(author, 'The draft now has this model. Review it, and apply it.');
    await shows(author, /150 trees/);
    await applyAndApprove('the first model');
    await author.page.goto(at('/policy?tab=models'));
    await shows(author, /150 trees/);
    await shows(author, 'Likely fraud by the model');
    expect(await wrongIn(author)).toEqual([]);
    const { items } = await stage!.call<{ items: readonly { trained?: object; rules: readonly { mode: string }[] }[] }>(
      'GET',
      `/workspaces/${name}/models`,
    );
    expect(items).toMatchObject([{ trained: { trees: 150 }, rules: [{ reason: 700, mode: 'shadow' }] }]);
  });

  it('is switched live, compared with a challenger, and taken back', async () => {
    const { page } = author;
    await page.goto(at('/policy?tab=text'));
    await page.getByRole('textbox', { name: /Text of/ }).click();
    const { files } = await stage!.call<{ files: readonly { path: string; text: string }[] }>(
      'GET',
      `/workspaces/${name}/policies/2`,
    );
    const text = files.find(({ path }) => path === 'rules.yaml')!.text;
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText(text.replace('    mode: shadow\n', ''));
    await shows(author, 'No errors');
    await applyAndApprove('the model is live');
    await train();
    await press(author, 'Compare with the active model');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Compare with the active model' }).click();
    await page.getByRole('heading', { name: /^Comparison/ }).waitFor();
    await page.getByRole('region', { name: 'What both alert, and what only one of them' }).waitFor();
    expect(await wrongIn(author, 'model-comparison')).toEqual([]);
    // The same history and settings give the same model: both alert the same events.
    const row = page.getByRole('row', { name: /^10 / });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      expect.stringMatching(/^[1-9]\d* \(\d+\)$/),
      '0 (0)',
      '0 (0)',
    ]);

    await page.goto(at('/policy?tab=versions'));
    const first = page.getByRole('listitem').filter({ hasText: 'first' }).last();
    await first.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('dialog').getByLabel('Reason for the change').fill('back to the rules');
    await page.getByRole('dialog').getByRole('button').last().click();
    await approver.page.goto(at('/policy?tab=versions'));
    const request = approver.page.getByRole('listitem').filter({ hasText: 'back to the rules' }).first();
    await request.getByRole('button', { name: 'Approve' }).click();
    await shows(author, 'Version 1 is active.');
  });
});
