import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { Bank, crashPolicy } from '../harness/bank.ts';
import { type Disk, makeDisk } from '../harness/disk.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { Ledger } from '../harness/ledger.ts';
import { nodeWithFiles } from '../harness/node-with-files.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { type Service, startService } from '../harness/service.ts';
import { makeClock, type SettableClock } from '../harness/settable-clock.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { execute, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { moods } from './moody-bank.ts';

/** A service whose state lies on a small disk, with its bank. */
export interface World {
  /** The one that runs now. */
  readonly service: Service;
  readonly ledger: Ledger;
  readonly bank: Bank;
  readonly receiver: WebhookReceiver;
  readonly disk: Disk;
  readonly clock: SettableClock;
  /** While it is `true`, the webhook answers as `moods` do, in turn. */
  setMoody(isMoody: boolean): void;
  /** Reports an operation of another bank, whose webhook cannot be reached for this reason. */
  actFor(unreachable: Unreachable): Promise<void>;
  /** Starts the service again when it has ended by itself, as its unit does. @returns its exit code and last output */
  startAgain(): Promise<{ readonly code: number | null; readonly output: string }>;
  connect(): Promise<Client>;
  close(): Promise<void>;
}

/** `name`: its host is in no DNS. `certificate`: it expired yesterday. */
export type Unreachable = 'name' | 'certificate';

const diskBytes = 1024 ** 3;
/** Open files that the service may have. */
export const filesMax = 1_024;
const eventsPerSecond = 20;
const keyOf = (name: string): string => `faults-${name}-license-key-${'0'.repeat(32)}`;

export async function openWorld(seed: number): Promise<World> {
  const home = await temporaryHome('faults');
  const disk = await makeDisk('faults', diskBytes);
  const clock = await makeClock(home.path);
  const expired = await expiredReceiver();
  let [isMoody, turn] = [false, randomInt(moods.length)];
  const receiver = await startWebhookReceiver(undefined, (request, response) => {
    if (isMoody) moods[turn++ % moods.length]!(request, response);
    else execute(request, response);
  });
  const [port, managementPort] = [await freePort(), await freePort()];
  const configFile = await writeInstallation({
    home: home.path,
    stateFolder: join(disk.path, 'state'),
    port,
    managementPort,
    licenseKey: keyOf('bank'),
    webhookUrl: receiver.url,
    policy: crashPolicy,
  });
  await appendFile(configFile, otherBank('name', 'https://webhook.bank.invalid/'));
  await appendFile(configFile, otherBank('certificate', `https://127.0.0.1:${expired.port}/`));
  const node = await nodeWithFiles(home.path, filesMax);
  const start = (): Promise<Service> => startService({ configFile, port, managementPort, env: clock.env, node });
  let service = await start();
  const ledger = new Ledger();
  const random = seededRandom(seed);
  const urls = [service.url];
  const bank = new Bank({ urls, licenseKey: keyOf('bank'), ledger, random, ratePerSecond: eventsPerSecond, run: 'f' });
  let acts = 0;
  return {
    get service() {
      return service;
    },
    ledger,
    bank,
    receiver,
    disk,
    clock,
    setMoody: (value) => void (isMoody = value),
    actFor: (unreachable) => act(service.url, unreachable, ++acts),
    startAgain: async () => {
      const ended = { code: await service.ended, output: service.output() };
      service = await start();
      return ended;
    },
    connect: () => connectToEmbedded(join(disk.path, 'state')),
    close: async () => {
      await bank.stop(0);
      await service.stop();
      await receiver.close();
      expired.close();
      await disk.remove();
      await home.remove();
    },
  };
}

function otherBank(name: Unreachable, url: string): string {
  return `  - name: ${name}
    environment: production
    licenseKeys: [${keyOf(name)}]
    webhook: { url: '${url}', deliver: live }
    channels: [{ id: 1, name: Mobile app }]
    sessionGraceSeconds: 0
    policy: ./policy
`;
}

async function act(url: string, name: Unreachable, serial: number): Promise<void> {
  await fetch(`${url}/api/v5/analytics/app/operation`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf(name)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channelId: 1,
      timestamp: new Date().toISOString(),
      transaction: { category: 'crash-marked', reference: `${name}-${serial}` },
      account: { client: `${name}-${serial}`, session: `s-${serial}` },
    }),
  }).then((answer) => answer.arrayBuffer());
}

/** A webhook whose certificate expired yesterday. */
async function expiredReceiver(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(await expiredCertificate(), (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function expiredCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const home = await temporaryHome('certificate');
  const options = { cwd: home.path };
  const run = promisify(execFile);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key'];
  await run('openssl', ['req', ...key, '-out', 'csr', '-subj', '/CN=127.0.0.1'], options);
  await run('openssl', ['x509', '-req', '-in', 'csr', '-signkey', 'key', '-days', '-1', '-out', 'cert'], options);
  const read = (name: string): Promise<string> => readFile(join(home.path, name), 'utf8');
  return { cert: await read('cert'), key: await read('key') };
}
