/** Sends secret values through every interface, and then searches for them outside of the service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { adminToken } from '../harness/management.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { licenseKey, openScene, type Scene, stateOf } from '../harness/scene.ts';
import { type Canary, tracesIn, tracesInBytes, tracesInFiles, tracesInTables } from '../harness/traces.ts';

/** Names that occur nowhere else on the machine. */
const personal = {
  client: 'canary-client-name-8842',
  email: 'canary-8842@mailbox.example',
  phone: '+5215588428842',
  account: '012180088428842884',
  payee: '002180088428842885',
  ip: '203.0.113.142',
  session: 'canary-session-8842',
  cardHash: 'canarycardhash8842canarycardhash8842',
  description: 'canary words of the payer 8842',
};
/** The service's own secrets are added when they are created. */
const values: Canary[] = [...Object.values(personal), licenseKey, adminToken];

const policy = {
  'policy.yaml': `rules:
  - reason: 502
    name: Every operation is answered
    on: [operation]
    when: order.amount > 1
    then: { action: 3, message: "Dear {{account.client}}, {{transaction.description}}" }
    mode: live
`,
};

describe('no personal data and no key in plain text', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ policy, env: { RINGFENCE_LOG_LEVEL: 'debug' } });
    await sendCanaries(scene);
    await importCanaries(scene);
    await rotateSecrets(scene);
  });
  afterAll(() => scene.close());

  it('in any table', async () => {
    const database = await connectToEmbedded(stateOf(scene));
    const traces = await tracesInTables(database, values);
    await database.end();
    expect(traces).toEqual([]);
  });

  it('in any file of the database, its write-ahead log and its own logs', async () => {
    expect(await tracesInFiles(join(stateOf(scene), 'database', 'data'), values)).toEqual([]);
  });

  it('in a backup', async () => {
    const file = join(scene.home, 'backup.bin');
    await run(scene, ['backup', file]);
    const bytes = gunzipSync(await readFile(file));
    expect(tracesIn(bytes.toString('latin1'), values, 'backup')).toEqual([]);
    expect(tracesInBytes(bytes, values, 'backup')).toEqual([]);
    expect(tracesInBytes(bytes, ['Every operation is answered'], 'backup')).toHaveLength(1);
  });

  it('in the logs and the metrics of the service', async () => {
    expect(scene.service.output().length).toBeGreaterThan(0);
    expect(tracesIn(scene.service.output(), values, 'log')).toEqual([]);
    expect(tracesIn(await scene.management.metrics(), values, 'metrics')).toEqual([]);
  });

  it('(the search does find existing text: the workspace is called "bank")', async () => {
    const database = await connectToEmbedded(stateOf(scene));
    await database.query('CREATE TABLE leak (value bytea)');
    const masterKey = values.at(-1) as Buffer;
    await database.query('INSERT INTO leak VALUES ($1), ($2)', [Buffer.from(`x${personal.email}y`), masterKey]);
    const traces = await tracesInTables(database, values);
    await database.query('DROP TABLE leak');
    await database.end();
    const where = 'table public.leak';
    expect(traces).toEqual([
      { value: personal.email, where },
      { value: masterKey.toString('hex'), where },
    ]);
  });
});

async function run(scene: Scene, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand([...words, '--config', scene.options.configFile!]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout;
}

/** The same person in imported history. */
async function importCanaries(scene: Scene): Promise<void> {
  const { client, session, email, account, payee, cardHash, description } = personal;
  const mapping = join(scene.home, 'mapping.yaml');
  const file = join(scene.home, 'past.ndjson');
  const members = { at: '2026-01-01T00:00:00Z', client, session, email, account, payee, cardHash, description };
  await writeFile(file, `${JSON.stringify(members)}\n${JSON.stringify({ ...members, at: 'never' })}\n`);
  await writeFile(
    mapping,
    `time: { column: at }
kind: operation
operation:
  channelId: { value: 1 }
  account.client: client
  account.session: session
  account.email: email
  account.accountNumber: account
  accountTo.accountNumber: payee
  creditCard.hash: cardHash
  transaction.description: description
`,
  );
  await run(scene, ['import', file, '-m', mapping, '--name', 'past', '--report', join(scene.home, 'left-out.csv')]);
  expect(tracesIn(await readFile(join(scene.home, 'left-out.csv'), 'utf8'), values, 'report')).toEqual([]);
}

/** Every secret that the service creates by itself, before and after it is replaced. */
async function rotateSecrets(scene: Scene): Promise<void> {
  const signing = async (): Promise<Canary> => {
    const text = (await run(scene, ['webhook', 'secret'])).trim();
    return Buffer.from(text.slice('whsec_'.length), 'base64');
  };
  const masterKey = async (): Promise<Canary> =>
    Buffer.from(await readFile(join(stateOf(scene), 'secrets', 'master.key'), 'utf8'), 'base64');
  values.push(Buffer.from(await run(scene, ['pepper', 'export']), 'base64'), await signing(), await masterKey());
  // Also one row of each of these: a second signing secret, a replaced key.
  const rotated = JSON.parse(await run(scene, ['webhook', 'rotate-secret', '--json'])) as { readonly secret: string };
  values.push(Buffer.from(rotated.secret.slice('whsec_'.length), 'base64'));
  await run(scene, ['master-key', 'rotate']);
  values.push(await masterKey());
}

async function sendCanaries(scene: Scene): Promise<void> {
  const { client, session, ip } = personal;
  await scene.tell('login', { channelId: 1, user: client, session, publicIp: ip, data: '' });
  const accepted = await scene.tell('operation', canaryOperation());
  expect(accepted.status).toBe(200);
  // Refused requests are stored too, redacted.
  expect(await scene.tell('operation', { ...canaryOperation(), channelId: 'one' })).toMatchObject({ status: 422 });
  await eventually('the webhook with the message arrives', 10_000, () => scene.receiver.received[0]);
  await eventually('the outcome is recorded', 10_000, async () => {
    const actions = await scene.management.actions({ state: 'executed' });
    return actions[0];
  });
}

function canaryOperation(): object {
  const { client, session, email, phone, account, payee, cardHash, description } = personal;
  return {
    channelId: 1,
    timestamp: new Date().toISOString(),
    transaction: { category: 'transfer', reference: 'canary-1', description },
    account: { client, session, email, phoneNumber: phone, accountNumber: account, bank: 'BANK-A' },
    order: { amount: 42, currency: 'MXN' },
    accountTo: { accountNumber: payee, bank: 'BANK-B' },
    creditCard: { bin: '415231', last4Digits: '8842', hash: cardHash },
  };
}
