/** Values that must never be read outside the service are sent through everything, and then looked for. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { licenseKey, openScene, type Scene, stateOf } from '../harness/scene.ts';
import { tracesIn, tracesInFiles, tracesInTables } from '../harness/traces.ts';

/** Nothing else on the machine is called like these. */
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
const values = [...Object.values(personal), licenseKey];

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

describe('nothing personal and no key in plain text', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ policy, env: { RINGFENCE_LOG_LEVEL: 'debug' } });
    await sendCanaries(scene);
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

  it('in the logs and the metrics of the service', async () => {
    expect(scene.service.output().length).toBeGreaterThan(0);
    expect(tracesIn(scene.service.output(), values, 'log')).toEqual([]);
    expect(tracesIn(await scene.management.metrics(), values, 'metrics')).toEqual([]);
  });

  it('(and the search finds what is there: the workspace is called "bank")', async () => {
    const database = await connectToEmbedded(stateOf(scene));
    await database.query('CREATE TABLE leak (value bytea)');
    await database.query('INSERT INTO leak VALUES ($1)', [Buffer.from(`x${personal.email}y`)]);
    const traces = await tracesInTables(database, values);
    await database.query('DROP TABLE leak');
    await database.end();
    expect(traces).toEqual([{ value: personal.email, where: 'table public.leak' }]);
  });
});

async function sendCanaries(scene: Scene): Promise<void> {
  const { client, session, ip } = personal;
  await scene.tell('login', { channelId: 1, user: client, session, publicIp: ip, data: '' });
  const accepted = await scene.tell('operation', canaryOperation());
  expect(accepted.status).toBe(200);
  // Refused requests are kept as well, redacted.
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
