/** Outcomes that the bank reported: from the log into facts of the next operation, labels, and what people see. */
import { isEventKind } from '@ringfence/contract';
import type { ActionRef, OutcomeReport } from '@ringfence/engine';
import type { LogRecord } from '@ringfence/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventDetail } from '../../src/api/events/event-schema.ts';
import type { PrintedLabel } from '../../src/api/labels/label-schema.ts';
import { verifyLog } from '../../src/backtest/replay/verify-log.ts';
import { lastLabels } from '../../src/console/labels/stored-labels.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { PolicyCache } from '../../src/policies/policy-cache.ts';
import { reportEntry } from '../../src/records/report-record.ts';
import { keyOf } from '../../src/tenancy/subjects/client-seal.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { deviceToken } from '../ingest/support/device-token.ts';
import { managementKit, type ManagementKit } from './support/management-kit.ts';

const files = [
  {
    path: 'rules.yaml',
    text: `actions: { 6: { name: Ask to confirm, trusts: { device: [passkey] } } }
features: { chargebacks: { count: true, by: payee.id, over: 90d, where: 'outcome.kind == "chargeback"' } }
rules:
  - { reason: 1, name: asks, on: [operation], when: order.amount > 100, then: { action: 6, message: m } }
  - { reason: 2, name: blocks, on: [operation], when: order.amount > 1000, then: { action: 1, message: m } }
  - reason: 3
    name: shows
    on: [operation]
    when: 'has(client.lastStepUp) && has(client.lastOutcome) && session.stepUpPassed in [true, false] && has(client.blocked) && has(chargebacks) && (has(device.trusted) || !has(device.trusted))'
    then: { action: 3, message: m }
    mode: shadow
`,
  },
];

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  await kit.startHost().ready;
});
afterAll(() => kit.close());

async function recordOf(event: string): Promise<LogRecord> {
  const [record] = await kit.log.read(kit.workspace.id, Number(event.split('_')[2]), 1);
  return record!;
}

async function report(event: string, told: OutcomeReport, note?: string): Promise<void> {
  const record = await recordOf(event);
  if (!isEventKind(record.kind)) throw new Error('an event is expected');
  const key = await keyOf(kit, kit.workspace, record.subject);
  const entry = reportEntry(
    { ...record, kind: record.kind },
    { report: told, author: 'token backoffice', atMs: undefined, note },
    { workspaceId: kit.workspace.id, key: key! },
  );
  await kit.log.append(kit.workspace.id, entry);
  await kit.settled();
}

let payments = 0;
async function pay(client: string, amount: number): Promise<string> {
  const id = await kit.send('operation', {
    channelId: 1,
    timestamp: new Date().toISOString(),
    account: { client, session: `s-${client}` },
    order: { amount, currency: 'MXN' },
    accountTo: { bank: 'B1', accountNumber: `of ${client}` },
    transaction: { reference: `payment ${++payments}` },
  });
  await kit.settled();
  return id;
}

async function logIn(client: string): Promise<void> {
  const iat = Math.floor(Date.now() / 1_000);
  const data = await deviceToken(kit.workspace, { iat, channelId: 1, origin: 'https://bank.example' });
  await kit.send('login', { channelId: 1, user: client, session: `s-${client}`, publicIp: '203.0.113.7', data });
  await kit.settled();
}

/** The facts that the rule in shadow saw. */
async function seen(event: string): Promise<Readonly<Record<string, unknown>>> {
  const { rules } = await kit.get<EventDetail>(`events/${event}?show=true`);
  return rules.find(({ reason }) => reason === 3)!.facts;
}

function asked(event: string, reason: number): ActionRef {
  return { offset: Number(event.split('_')[2]), reason, position: 0 };
}

it('a passed step-up is known to the next operation, trusts the device, and is shown on its event', async () => {
  await logIn('ana');
  const paid = await pay('ana', 500);
  expect(await seen(paid)).toMatchObject({ 'device.trusted': 'false', 'client.lastStepUp': 'none' });
  await report(paid, { outcome: 'stepUpPassed', action: asked(paid, 1), method: 'passkey' }, 'by her phone');
  expect(await seen(await pay('ana', 5))).toMatchObject({
    'device.trusted': 'true',
    'client.lastStepUp': 'passed',
    'client.lastOutcome': 'stepUpPassed',
    'session.stepUpPassed': 'true',
  });
  expect((await kit.get<EventDetail>(`events/${paid}?show=true`)).outcomes).toEqual([
    {
      outcome: 'stepUpPassed',
      method: 'passkey',
      author: 'token backoffice',
      note: 'by her phone',
      reportedAt: expect.any(String),
    },
  ]);
});

it('a chargeback labels its event and counts for features, and is taken back without a trace among the labels', async () => {
  const paid = await pay('bob', 5);
  const labels = async (): Promise<readonly string[]> =>
    (await kit.get<{ items: readonly PrintedLabel[] }>(`events/${paid}/labels`)).items.map(({ label }) => label);
  const { offset } = await recordOf(paid);
  await report(paid, { outcome: 'chargeback', code: '4837', stage: 'opened', loss: '5.10', label: 'fraud' });
  expect(await labels()).toEqual(['fraud']);
  expect(await seen(await pay('bob', 5))).toMatchObject({ chargebacks: '1', 'client.lastOutcome': 'chargeback' });
  await report(paid, { outcome: 'retracted', label: 'none' });
  expect(await labels()).toEqual([]);
  expect(await lastLabels(kit.pool, kit.workspace.id, [offset])).toEqual(new Map());
  await report(paid, { outcome: 'legitimate', label: 'legitimate' });
  expect(await labels()).toEqual(['legitimate']);
  expect((await lastLabels(kit.pool, kit.workspace.id, [offset])).get(offset)?.label).toBe('legitimate');
  const { outcomes } = await kit.get<EventDetail>(`events/${paid}`);
  expect(outcomes.map(({ outcome, code, loss }) => [outcome, code, loss])).toEqual([
    ['chargeback', '4837', '5.10'],
    ['retracted', undefined, undefined],
    ['legitimate', undefined, undefined],
  ]);
});

it('a client is no longer blocked once the bank has unblocked it', async () => {
  const paid = await pay('carl', 5_000);
  const { subject } = await recordOf(paid);
  const outcome = { ...asked(paid, 2), action: 1, result: 'executed' };
  await kit.log.append(kit.workspace.id, {
    kind: 'outcome',
    subject: subject!,
    payload: Buffer.from(JSON.stringify(outcome)),
  });
  expect(await seen(await pay('carl', 5))).toMatchObject({ 'client.blocked': 'true' });
  await report(paid, { outcome: 'unblocked' });
  expect(await seen(await pay('carl', 5))).toMatchObject({ 'client.blocked': 'false' });
});

it('the log is decided the same again, and a note is gone once its client is erased', async () => {
  const paid = await pay('eva', 5);
  await report(paid, { outcome: 'fraud', label: 'fraud', type: 'accountTakeover' }, 'told by her son');
  const before = await verifyLog({ ...kit, policies: new PolicyCache(kit.pool) }, kit.workspace, () => {});
  expect(before).toMatchObject({ verdict: 'same', differences: { unexplained: 0, afterGap: 0 } });
  await eraseClient(kit, kit.workspace, 'eva');
  await kit.settled();
  const [outcome] = (await kit.get<EventDetail>(`events/${paid}?show=true`)).outcomes;
  expect(outcome).toMatchObject({ outcome: 'fraud', type: 'accountTakeover' });
  expect(outcome).not.toHaveProperty('note');
});
