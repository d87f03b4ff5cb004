import { constants, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { Management, type SeenEvent } from '../harness/management.ts';
import { type Service, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { developmentKey, now, policy, productionKey, type RecordedRequest, requestsOf } from './requests.ts';

/** One request and its answer. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly status: number;
  /** Those that the interface promises; the others belong to the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PlayedInstallation {
  readonly exchanges: readonly Exchange[];
  /** The bodies of all webhooks, sorted: webhooks of different sessions have no order. */
  readonly webhooks: readonly string[];
}

const installations = {
  'clients hashed with SHA-256 and encrypted': {
    environment: 'production',
    webhook: { clientHash: 'sha256', publicKeyFile: 'public.pem' },
  },
  'clients hashed with the pepper, in development': { environment: 'development', webhook: { dateStyle: 'local' } },
  'observed only': { environment: 'production', webhook: { deliver: 'observe', clientHash: 'sha256' } },
} as const;
type Installation = (typeof installations)[keyof typeof installations];

export type Recording = Readonly<Record<string, PlayedInstallation>>;

/** Reports the same events to new installations. @param program the service of another checkout */
export async function play(program?: string): Promise<Recording> {
  const played = Object.entries(installations).map(
    async ([name, installation]) => [name, await playOne(installation, program)] as const,
  );
  return Object.fromEntries(await Promise.all(played));
}

async function playOne(installation: Installation, program: string | undefined): Promise<PlayedInstallation> {
  const { path: home } = await temporaryHome('conformance');
  const receiver = await startWebhookReceiver();
  try {
    const { environment, webhook } = installation;
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    await writeFile(join(home, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    const [port, managementPort] = [await freePort(), await freePort()];
    const licenseKey = environment === 'production' ? productionKey : developmentKey;
    const webhookUrl = receiver.url;
    const own = { policy, environment, webhook, sessionGraceSeconds: 1 };
    const plan = { home, port, managementPort, licenseKey, webhookUrl, ...own };
    const configFile = await writeInstallation(plan);
    const service = await startService({
      configFile,
      port,
      managementPort,
      ...(program === undefined ? {} : { program }),
    });
    try {
      return await record(service, { receiver, environment, privateKey });
    } finally {
      await service.stop();
    }
  } finally {
    await receiver.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Bank {
  readonly receiver: WebhookReceiver;
  readonly environment: Installation['environment'];
  readonly privateKey: KeyObject;
}

async function record(service: Service, { receiver, environment, privateKey }: Bank): Promise<PlayedInstallation> {
  const management = new Management(service.managementUrl, `bank:${environment}`);
  const sentAt = new Date().toISOString();
  const exchanges: Exchange[] = [];
  const ids = new Set<string>();
  for (const request of requestsOf(environment)) {
    const { exchange, id } = await send(service.url, request, sentAt);
    exchanges.push(exchange);
    if (id !== undefined) ids.add(id);
  }
  await eventually('every event is decided and every action is over', 60_000, async () => {
    const events: SeenEvent[] = [];
    for await (const event of management.allEvents()) events.push(event);
    const actions = await management.actions({ limit: '100' });
    const decided = new Set(
      events.filter(({ status }) => status === 'decided' || status === 'repeat').map(({ id }) => id),
    );
    const isOver = actions.every(({ state }) => state === 'executed' || state === 'observed');
    return isOver && [...ids].every((id) => decided.has(id)) ? true : undefined;
  });
  const known = environment === 'production' ? privateKey : undefined;
  const webhooks = [...receiver.executed.values()].map(({ body }) => normalised(body, known)).toSorted();
  return { exchanges, webhooks };
}

const recordedHeaders = [
  'content-type',
  'warning',
  'x-request-id',
  'idempotency-replayed',
  'preference-applied',
  'www-authenticate',
  'retry-after',
];

async function send(
  url: string,
  request: RecordedRequest,
  sentAt: string,
): Promise<{ readonly exchange: Exchange; readonly id: string | undefined }> {
  const response = await fetch(`${url}${request.path}`, {
    method: 'POST',
    headers: request.headers,
    body: request.body.replaceAll(now, sentAt),
  });
  const headers = recordedHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, withoutIds(value)] as const];
  });
  const body = await response.text();
  const exchange = { request, status: response.status, headers: Object.fromEntries(headers), body: withoutIds(body) };
  return { exchange, id: (JSON.parse(body) as { readonly id?: string }).id };
}

/**
 * Ids of events and actions contain when the installation was made, and a place in its log. Those of development begin
 * with `evt_test_` since the recording.
 */
function withoutIds(text: string): string {
  return text.replaceAll(/evt_(test_)?\d+_\d+/g, 'evt_<id>').replaceAll(/act_[0-9a-z]+_\d+_\d+_/g, 'act_<id>_');
}

/**
 * A body without what differs each time: digits of the date, and the encrypted client, in whose place the decrypted one
 * is; without a private key, the client under a random pepper. Everything else is kept byte by byte.
 */
function normalised(body: string, privateKey: KeyObject | undefined): string {
  const undated = body.replace(/(?<="date":")[^"]+/, (date) => date.replaceAll(/\d/g, '0'));
  if (privateKey === undefined) return undated.replace(/(?<="client":")[0-9a-f]{64}(?=")/, '<HMAC>');
  return undated.replace(/(?<="clientRSA":")[^"]+/, (sealed) => {
    const options = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return `<${privateDecrypt(options, Buffer.from(sealed, 'base64')).toString()}>`;
  });
}
