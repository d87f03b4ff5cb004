/** Certificates of declared webhooks that are renewed in their files while the service runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { reconcile } from '../../src/config/reconcile.ts';
import { WebhookCertificates } from '../../src/config/webhook-certificates.ts';
import { listWorkspaces } from '../../src/tenancy/workspaces/workspace-store.ts';
import type { WebhookSettings } from '../../src/tenancy/workspaces/workspace.ts';
import { testAuthority } from '../deliver/support/certificates.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

const authority = testAuthority('the bank');
const first = authority.issue('ringfence.example');

let home: Installation;
let folder: string;
let deps: Installation['deps'] & { readonly now: () => number };
let said: string[];
const open: WebhookCertificates[] = [];

beforeEach(async () => {
  home = await makeInstallation();
  deps = { ...home.deps, now: Date.now };
  folder = mkdtempSync(join(tmpdir(), 'ringfence-webhook-files-'));
  said = [];
  write({ 'ca.pem': authority.ca, 'client.pem': first.cert, 'client.key': first.key });
  declare('timezone: Asia/Tokyo');
});
afterEach(async () => {
  for (const certificates of open.splice(0)) await certificates.close();
  await home.close();
  rmSync(folder, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function declare(...members: readonly string[]): void {
  const tls = 'caFile: ca.pem, clientCertificateFile: client.pem, clientKeyFile: client.key';
  const webhook = `webhook: { url: 'https://bank.example/hook', deliver: observe, ${tls} }`;
  const lines = ['- name: acme', '  environment: production', `  ${webhook}`, ...members.map((line) => `  ${line}`)];
  write({ 'ringfence.yaml': `workspaces:\n${lines.map((line) => `  ${line}`).join('\n')}\n` });
}

/** Starts a process with the present files. */
async function start(): Promise<WebhookCertificates> {
  const configuration = loadConfiguration({ config: 'ringfence.yaml' }, {}, folder);
  await reconcile(configuration, deps);
  const say = (fields: { readonly reason?: string }, message: string): void => {
    said.push(fields.reason === undefined ? message : fields.reason.replaceAll(`${folder}/`, ''));
  };
  const certificates = new WebhookCertificates({
    ...deps,
    configuration,
    logger: { info: say, warn: say, error: say },
  });
  open.push(certificates);
  return certificates;
}

async function look(certificates: WebhookCertificates, times = 2): Promise<void> {
  for (let i = 0; i < times; i += 1) await certificates.look();
}

async function inForce(): Promise<WebhookSettings> {
  return (await listWorkspaces(home.deps))[0]!.settings.webhook!;
}

it('renewed certificates become workspace settings once two readings agree, with an audit entry', async () => {
  const certificates = await start();
  const second = authority.issue('ringfence.example', 60);
  write({ 'client.pem': second.cert });
  await look(certificates, 1);
  write({ 'client.key': second.key });
  await look(certificates, 1);
  expect((await inForce()).clientCertificatePem).toBe(first.cert);
  await look(certificates, 1);
  expect(await inForce()).toMatchObject({
    url: 'https://bank.example/hook',
    clientCertificatePem: second.cert,
    clientKeyPem: second.key,
  });
  expect(said).toEqual(['using a renewed certificate']);
  const entries = await home.pool.query<{ actor: string }>(`select actor from audit_entry where action = $1`, [
    'changeWorkspace',
  ]);
  expect(entries.rows).toEqual([{ actor: 'file:ringfence.yaml' }]);
  // A start with the same files changes nothing.
  const configuration = loadConfiguration({ config: 'ringfence.yaml' }, {}, folder);
  expect(await reconcile(configuration, deps)).toMatchObject({ applied: [] });
});

it('unusable certificates leave the present ones in force, are reported once, and are read again', async () => {
  const certificates = await start();
  write({ 'client.pem': authority.issue('ringfence.example').cert });
  await look(certificates, 4);
  write({ 'client.pem': first.cert, 'ca.pem': 'nothing' });
  await look(certificates, 3);
  expect(said).toEqual([
    'client.key: expected the private key that belongs to the client certificate',
    'ca.pem: expected the PEM of one or more certificates',
  ]);
  expect(await inForce()).toMatchObject({ clientCertificatePem: first.cert, caPem: authority.ca });
  const other = testAuthority('the bank, renewed').ca;
  write({ 'ca.pem': other });
  await look(certificates);
  expect((await inForce()).caPem).toBe(other);
});

it('each process uses renewed certificates once, except one that was started with an older declaration', async () => {
  const old = await start();
  const alike = await start();
  const other = testAuthority('the bank, renewed').ca;
  write({ 'ca.pem': other });
  await look(old);
  await look(alike);
  expect(said).toEqual(['using a renewed certificate', 'using a renewed certificate']);

  declare('timezone: America/Mexico_City');
  const newer = await start();
  const latest = testAuthority('the bank, renewed again').ca;
  write({ 'ca.pem': latest });
  await look(old);
  expect(said.slice(2)).toEqual(['another process was started with a different declaration of this workspace']);
  await look(newer);
  expect((await inForce()).caPem).toBe(latest);
  expect((await listWorkspaces(home.deps))[0]!.settings.timezone).toBe('America/Mexico_City');
});
