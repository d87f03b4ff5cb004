/** Settings > Notifications: a destination is added, tested, paused, changed and removed, in English and in Spanish. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

describe('notifications in the console', () => {
  let stage: ConsoleStage | undefined;
  let receiver: WebhookReceiver;
  let page: Page;
  let watch: Watch;

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    receiver = await startWebhookReceiver();
    await stage.call('POST', '/workspaces', { name: 'told', environment: 'development' });
    ({ page, watch } = await stage.openAsFirst());
  }, 300_000);
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(async () => {
    await receiver?.close();
    await stage?.close();
  }, 60_000);

  async function wrong(): Promise<readonly string[]> {
    await watch.settled();
    return [...(await watch.accessibility()), ...watch.strangers, ...watch.errors];
  }

  it('adds a destination, shows its secret once, tests it, pauses, changes and removes it', async () => {
    await page.goto(`${stage!.origin}/console/w/told:development/settings`);
    await page.getByText('No destinations.').waitFor();
    await page.getByText('The configuration names no mail server').waitFor();
    await page.getByRole('button', { name: 'Add destination' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Desk');
    await dialog.getByLabel('Kind', { exact: true }).selectOption('Signed HTTP');
    await dialog.getByLabel('URL', { exact: true }).fill(`${receiver.url}?token=very-secret-part`);
    await dialog.getByLabel('A rule fires far more often than usual', { exact: true }).check();
    await dialog.getByLabel('Quiet hours', { exact: true }).check();
    expect(await wrong()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await dialog.locator('pre').innerText()).toMatch(/^whsec_/);
    expect(await wrong()).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();

    const row = page.getByRole('listitem').filter({ hasText: 'Desk' });
    await row.getByText(`Signed HTTP · ${new URL(receiver.url).origin}/…`).waitFor();
    await row.getByText('An alert').first().waitFor();
    await row.getByRole('button', { name: 'Send a test', exact: true }).click();
    await dialog.getByRole('button', { name: 'Send a test', exact: true }).click();
    await dialog.getByText('Sent', { exact: true }).first().waitFor();
    await dialog.getByText('HTTP 200').waitFor();
    expect(await wrong()).toEqual([]);
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ notifications: [{ event: 'test' }] });
    expect(await page.content()).not.toContain('very-secret-part');
    await dialog.getByRole('button', { name: 'Close' }).click();

    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('Paused').waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Change destination' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Night');
    await dialog.getByLabel('Send the client and comments in clear', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Night' }).waitFor();
    expect(await wrong()).toEqual([]);
  });

  it('does so in Spanish', async () => {
    await page.getByRole('button', { name: 'Account of Mara' }).click();
    await page.getByRole('menuitem', { name: 'Español' }).click();
    await page.getByRole('heading', { name: 'Notificaciones', exact: true }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'Night' });
    await row.getByRole('button', { name: 'Cambiar destino' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Horas de silencio').waitFor();
    expect(await wrong()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancelar' }).click();
    await row.getByRole('button', { name: 'Eliminar' }).click();
    await dialog.getByRole('button', { name: 'Eliminar' }).click();
    await page.getByText('Sin destinos.').waitFor();
    expect(await wrong()).toEqual([]);
  });
});
