import { systemClock } from '../deliver/clock.ts';
import { sendTestAction, type TestTranscript } from '../deliver/test-action.ts';
import { ownListeners } from '../deliver/transport/own-listeners.ts';
import { systemResolver } from '../deliver/transport/resolve-host.ts';
import { WebhookTransport } from '../deliver/transport/webhook-transport.ts';
import { readSendingKey } from '../tenancy/workspaces/license-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { OpenInstallation } from './open-installation.ts';

/**
 * Sends a test action to a workspace's webhook from this machine.
 *
 * @throws Problem `state.conflict` if there is no webhook or no key, or if deliveries are paused
 */
export async function sendTest(installation: OpenInstallation, workspace: Workspace): Promise<TestTranscript> {
  const { pool, master, deliveries, configuration } = installation;
  const sendingKey = await readSendingKey(pool, master, workspace.id);
  const transport = new WebhookTransport({
    resolve: systemResolver(),
    allow: configuration.allowPrivateWebhooks,
    isOwn: ownListeners(() => [configuration.listen.port, configuration.management.port]),
  });
  try {
    return await sendTestAction({ deliveries, transport, clock: systemClock }, workspace, sendingKey);
  } finally {
    await transport.close();
  }
}
