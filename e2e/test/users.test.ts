/**
 * The service starts for root and for a normal user, from a checkout in a home folder that only its owner may enter.
 */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { copyCheckout, giveTo, type Owner } from '../harness/checkout.ts';
import { login } from '../harness/event-bodies.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { licenseKey } from '../harness/scene.ts';
import { startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

const self: Owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
/** The user "nobody": without rights, on every Linux. */
const nobody: Owner = { uid: 65_534, gid: 65_534 };

describe('a checkout in a private home folder', () => {
  let outside: Awaited<ReturnType<typeof temporaryHome>>;
  let checkout: string;
  beforeAll(async () => {
    outside = await temporaryHome('users');
    checkout = await copyCheckout(join(outside.path, 'home'));
  });
  afterAll(() => outside.remove());

  it('starts for the user who runs the tests', async () => {
    expect(await startsFor(self, { outside: outside.path, checkout })).toBe(200);
  });

  it('starts for a normal user', async ({ skip }) => {
    if (self.uid !== 0) skip('only root can become another user; the test before this one is a normal user already');
    expect(await startsFor(nobody, { outside: outside.path, checkout })).toBe(200);
  });
});

interface Folders {
  /** Accessible to all users. */
  readonly outside: string;
  /** In the private home. */
  readonly checkout: string;
}

/** Changes the owner of the checkout, starts it with the folder of the installation beside it, and sends one event. */
async function startsFor(owner: Owner, { outside, checkout }: Folders): Promise<number> {
  const home = join(checkout, '..');
  const installation = join(home, `of-${owner.uid}`);
  await mkdir(installation);
  const [port, managementPort] = [await freePort(), await freePort()];
  const webhookUrl = 'http://127.0.0.1:9/smartid/webhook';
  const policy = { 'policy.yaml': 'rules: []\n' };
  const plan = { home: installation, port, managementPort, licenseKey, webhookUrl, policy };
  const configFile = await writeInstallation(plan);
  await giveTo(home, owner);
  const program = join(checkout, 'apps/server/bin/ringfence.js');
  const node = join(outside, 'node');
  await copyFile(process.execPath, node);
  const user = owner === self ? {} : { user: owner };
  const service = await startService({ configFile, port, managementPort, program, node, ...user });
  onTestFinished(async () => {
    await service.stop();
    await rm(installation, { recursive: true, force: true });
  });
  const response = await fetch(`${service.url}/api/v5/analytics/app/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(login({ client: 'c', session: 's' })),
  });
  return response.status;
}
