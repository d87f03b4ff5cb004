import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createRingfence, type DropReason, type Ringfence, type WebhookTrouble } from '@ringfence/client';
import { Bank } from './bank/bank.ts';
import { openWebSite } from './bank/web-site.ts';
import { type Arrival, openWebhookServer, webhookPath, type WebhookServer } from './bank/webhook-server.ts';
import { patienceMs } from './play/patience.ts';
import { Phones } from './play/phones.ts';
import { type Addresses, visitor } from './screen/words.ts';
import { Analyst, analystScopes } from './service/analyst.ts';
import { type Installation, workspaceName, writeInstallation } from './service/installation.ts';
import { Management } from './service/management.ts';
import { type Service, startService } from './service/service.ts';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownEnvironment, program } from './service/program.ts';

/** The running parts of the demo. */
export interface Stage {
  readonly addresses: Addresses;
  readonly service: Service;
  readonly management: Management;
  readonly analyst: Analyst;
  readonly phones: Phones;
  readonly ringfence: Ringfence;
  readonly bank: Bank;
  readonly webhook: WebhookServer;
  /** Stops the bank, then the service, and removes their temporary files. */
  close(): Promise<void>;
}

export interface StageOptions {
  /** Port of the service's public listener; 0 for a free one. */
  readonly port: number;
  /** New folder for the files, which stay there; `undefined` for a temporary one. */
  readonly folder: string | undefined;
  readonly signal: AbortSignal;
  readonly onArrival: (arrival: Arrival) => void;
  readonly onTrouble: (trouble: WebhookTrouble) => void;
  readonly onDrop: (reason: DropReason) => void;
}

/** Starts Ringfence and the bank. If a later part fails, earlier ones are stopped. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return { ...(await openParts(options, closers)), close };
  } catch (error) {
    // Keep the original error rather than one of the cleanup.
    await close().catch(() => undefined);
    throw error;
  }
}

async function openParts(options: StageOptions, closers: (() => Promise<unknown>)[]): Promise<Omit<Stage, 'close'>> {
  const [free = 0, managementPort = 0, bankPort = 0] = await freePorts(3);
  const port = options.port === 0 ? free : options.port;
  const addresses = {
    url: `http://127.0.0.1:${port}`,
    managementUrl: `http://127.0.0.1:${managementPort}`,
    licenseKey: `demo-key-${randomBytes(24).toString('hex')}`,
    adminToken: `demo-admin-${randomBytes(24).toString('hex')}`,
  };
  const { licenseKey, managementUrl, adminToken } = addresses;
  const webhookUrl = `http://127.0.0.1:${bankPort}${webhookPath}`;

  const { folder } = options;
  const installation = await writeInstallation({ folder, port, managementPort, webhookUrl, licenseKey });
  if (installation.isTemporary) closers.push(() => removeFolder(installation.folder));
  const service = await startService({ installation, managementUrl, adminToken, signal: options.signal });
  closers.push(() => service.stop());
  const { signingSecret, pepper, deviceKeys } = await readSharedSecrets(installation);

  const management = new Management(managementUrl, adminToken);
  const analystToken = await management.makeToken('demo-analyst', analystScopes);

  const { onDrop, onArrival, onTrouble } = options;
  const ringfence = createRingfence({ baseUrl: addresses.url, licenseKey, environment: 'production', onDrop });
  closers.push(() => ringfence.close());
  const bank = new Bank(ringfence, pepper);
  bank.enrol(visitor);
  const webhook = await openWebhookServer({ bank, port: bankPort, licenseKey, signingSecret, onArrival, onTrouble });
  closers.push(() => webhook.close());
  const site = await openWebSite({ bank, deviceKeys, folder: installation.folder });
  closers.push(() => site.close());
  return {
    addresses: { ...addresses, folder: installation.folder, pageUrl: site.url },
    service,
    management,
    analyst: new Analyst(new Management(managementUrl, analystToken)),
    phones: new Phones(deviceKeys),
    ringfence,
    bank,
    webhook,
  };
}

/** Retries for a while: the database of a killed service needs a moment to notice. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Distinct ports of this machine on which nothing listens at present. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  // All are held until every one is known; otherwise one could be returned twice.
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const run = promisify(execFile);

/** What a bank receives from its operator in addition to the license key. */
interface SharedSecrets {
  /** Signs webhooks, `whsec_` and base64. */
  readonly signingSecret: string;
  /** Hashes clients in webhooks, base64. */
  readonly pepper: string;
  /** Public keys that the bank's page encrypts device tokens to, a JWK set. */
  readonly deviceKeys: string;
}

/** Reads them with the commands that an operator would use, while the service runs. */
async function readSharedSecrets(installation: Installation): Promise<SharedSecrets> {
  const [signingSecret, pepper, deviceKeys] = await Promise.all([
    ringfence(installation, 'webhook', 'secret'),
    ringfence(installation, 'pepper', 'export'),
    ringfence(installation, 'device-key', 'list', '--json'),
  ]);
  return { signingSecret, pepper, deviceKeys };
}

async function ringfence({ configFile }: Installation, ...command: string[]): Promise<string> {
  const args = [program, ...command, '--workspace', `${workspaceName}/production`, '--config', configFile];
  const { stdout } = await run(process.execPath, args, { env: ownEnvironment(), timeout: patienceMs });
  return stdout.trim();
}
