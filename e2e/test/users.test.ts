/** The service starts for root and for a normal user, from a checkout under a home folder that nobody else may enter. */
import { chown, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyCheckout, type Owner } from '../harness/checkout.ts';
import { login } from '../harness/event-bodies.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { licenseKey } from '../harness/scene.ts';
import { startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

const self: Owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
/** nobody: no rights of its own, on every Linux. */
const nobody: Owner = { uid: 65_534, gid: 65_534 };

describe('a checkout under a closed home folder', () => {
  it('starts for the user who runs the tests', async () => {
    expect(await startsFor(self)).toBe(200);
  });

  it('starts for a normal user', async ({ skip }) => {
    if (self.uid !== 0) skip('only root can become another user; the test before this one is a normal user already');
    expect(await startsFor(nobody)).toBe(200);
  });
});

/** Copies the checkout, starts it with the folder of the installation inside the closed home, and sends one event. */
async function startsFor(owner: Owner): Promise<number> {
  const outside = await temporaryHome('users');
  onTestFinished(() => outside.remove());
  const home = join(outside.path, 'home');
  const checkout = await copyCheckout(home, owner);
  const [port, managementPort] = [await freePort(), await freePort()];
  const webhookUrl = 'http://127.0.0.1:9/smartid/webhook';
  const policy = { 'policy.yaml': 'rules: []\n' };
  const configFile = await writeInstallation({ home: checkout, port, managementPort, licenseKey, webhookUrl, policy });
  await chown(configFile, owner.uid, owner.gid);
  const program = join(checkout, 'apps/server/bin/ringfence.js');
  const node = join(outside.path, 'node');
  await copyFile(process.execPath, node);
  const user = owner === self ? {} : { user: owner };
  const service = await startService({ configFile, port, managementPort, program, node, ...user });
  onTestFinished(async () => {
    await service.stop();
    await rm(home, { recursive: true, force: true });
  });
  const response = await fetch(`${service.url}/api/v5/analytics/app/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(login({ client: 'c', session: 's' })),
  });
  return response.status;
}
