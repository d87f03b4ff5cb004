/** A control share takes two people where the workspace asks for one, and its events are shown as such. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { type ConsoleStage, type Opened, openConsoleStage } from './console-stage.ts';

const name = 'alone:development';
const artifact = JSON.stringify({
  format: 'ringfence-model/1',
  inputs: [{ name: 'amount', kind: 'number' }],
  precision: 'double',
  comparison: '<=',
  base: 5,
  trees: [{ input: [-1], value: [0], left: [0], right: [0], missingLeft: [0], cover: [1] }],
});
const policy = (control: string): string => `models:
  cards:
    on: operation
    artifact: models/cards.json
    sha256: "${hash('sha256', artifact)}"
    inputs: { amount: order.amount }
${control}rules:
  - { reason: 700, name: Likely by the model, on: operation, when: model.cards.p > 0.9, then: { action: 4, message: Look } }
`;
const files = (control: string) => [
  { path: 'models/cards.json', text: artifact },
  { path: 'rules.yaml', text: policy(control) },
];

describe('a control group', () => {
  let stage: ConsoleStage | undefined;
  let author: Opened;
  let approver: Opened;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    const call: ConsoleStage['call'] = (...of) => stage!.call(...of);
    const made = await call<{ id: string }>('POST', '/workspaces', { name: 'alone', environment: 'development' });
    await call('POST', `/workspaces/${name}/policies`, { files: files(''), author: 'mara', comment: 'a model' });
    const more = files('    control: { share: 10%, upTo: 200, currency: MXN }\n');
    const { id } = await call<{ id: string }>('POST', `/workspaces/${name}/policies/requests`, {
      files: more,
      comment: 'too early',
    });
    await call('POST', `/workspaces/${name}/policies/requests/${id}/withdraw`, { comment: 'later' });
    const as = (person: string, role: string) => stage!.openAs({ name: person, workspace: made.id, role });
    [author, approver] = [await as('Luis', 'author'), await as('Nora', 'administrator')];
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close(), 60_000);

  const at = (path: string): string => `${stage!.origin}/console/w/${name}${path}`;
  const wrongIn = async ({ watch }: Opened): Promise<readonly string[]> => {
    await watch.settled();
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  };

  it('is requested by one person and approved by another', async () => {
    const { page } = author;
    await page.goto(at('/policy?tab=versions'));
    await page.getByRole('button', { name: 'Activate', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/10% up to 200 MXN/)
      .first()
      .waitFor();
    await dialog.getByLabel('Reason for the change').fill('labels of what we stop');
    expect(await wrongIn(author)).toEqual([]);
    await dialog.getByRole('button', { name: 'Request approval' }).click();
    await page.getByText('Version 2 waits for the approval of another person.').waitFor();
    await approver.page.goto(at('/policy?tab=versions'));
    const request = approver.page.getByRole('listitem').filter({ hasText: 'labels of what we stop' }).first();
    await request.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Version 2 is active.').waitFor();
  });

  it('is shown with its events and with the labels of the rule', async () => {
    const { eventsOrigin } = stage!;
    const call: ConsoleStage['call'] = (...of) => stage!.call(...of);
    const key = (await call<{ text: string }>('POST', `/workspaces/${name}/keys`)).text;
    for (let i = 0; i < 120; i++) {
      const response = await fetch(`${eventsOrigin}/api-dev/v5/analytics/app/operation`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          channelId: 1,
          timestamp: new Date().toISOString(),
          transaction: { reference: `r${i}` },
          account: { client: 'ana', session: 's' },
          order: { amount: 50, currency: 'MXN' },
        }),
      });
      expect(response.status).toBe(200);
    }
    interface Found {
      readonly items: readonly { readonly id: string; readonly control?: readonly number[] }[];
    }
    const found = (): Promise<Found> => call<Found>('GET', `/workspaces/${name}/events?reason=700&limit=200`);
    await expect.poll(async () => (await found()).items.length, { timeout: 30_000 }).toBe(120);
    const alone = (await found()).items.filter(({ control }) => control?.includes(700) === true);
    const labels = alone.map(({ id }, i) => ({ event: id, label: i === 0 ? 'fraud' : 'legitimate' }));
    await call('POST', `/workspaces/${name}/labels`, { labels });
    const { page } = approver;
    await page.goto(at(`/events/${alone[0]!.id}`));
    await page.getByText('control group: no action').waitFor();
    expect(await wrongIn(approver)).toEqual([]);
    await page.goto(at('/policy?tab=health'));
    await page.getByText(`control group: 1 fraud of ${alone.length}`).waitFor({ timeout: 30_000 });
    expect(await wrongIn(approver)).toEqual([]);
  });
});
