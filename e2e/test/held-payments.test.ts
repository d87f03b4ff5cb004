/** A held payment from the answer that asks for it to the webhook that ends it: by a person, and by its deadline. */
import { createWebhookReceiver, type WebhookReceiver } from '@ringfence/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../harness/command.ts';
import { login, operation } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { licenseKey, openScene, type Scene } from '../harness/scene.ts';
import type { ReceivedAction } from '../harness/webhook-receiver.ts';

const policy = {
  'policy.yaml': `actions:
  7: { name: Hold, hold: { release: 8, reject: 9, within: 1m, otherwise: reject } }
  8: { name: Release, message: "{{transaction.reference}} was released" }
  9: { name: Reject, message: "{{transaction.reference}} was rejected" }
rules:
  - { reason: 601, name: Large payments, on: [operation], when: order.amount > 1000, then: { action: 7, message: "{{transaction.reference}} is on hold" } }
`,
};
const visit = { client: 'ana@example.org', session: 'ana-1' };
/** A minute until the deadline, and time for the webhooks. */
const afterDeadlineMs = 90_000;

interface Answered {
  readonly id: string;
  readonly status: string;
  readonly fired: readonly { readonly reason: number }[];
  readonly actions: readonly { readonly action: number; readonly webhookId: string }[];
  readonly hold?: { readonly webhookId: string; readonly state: string; readonly resolvedWith?: string };
}

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ policy });
  await scene.tell('login', login(visit));
});
afterAll(() => scene.close());

/** Reports a payment, and waits for its decision. */
async function pay(reference: string, amount: number): Promise<Answered> {
  const response = await fetch(`${scene.service.url}/api/v5/analytics/app/operation`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${licenseKey}`,
      'content-type': 'application/json',
      'idempotency-key': reference,
      prefer: 'wait=5',
    },
    body: JSON.stringify(operation({ ...visit, category: 'transfer', reference, amount })),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Answered;
}

async function status(question: object): Promise<unknown> {
  const response = await fetch(`${scene.service.url}/api/v5/analytics/app/status`, {
    method: 'POST',
    headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  return response.json();
}

/** The webhook that ends the hold which this one asked for. */
function endOf(webhookId: string): ReceivedAction | undefined {
  return scene.receiver.received.find(({ headers }) => headers['ringfence-resolves'] === webhookId);
}

/** The bank's receiver, with its keys; `executed` has the actions that it took for authentic. */
async function openReceiver(): Promise<{ readonly receiver: WebhookReceiver; readonly executed: string[] }> {
  const { code, stdout } = await runCommand(['webhook', 'secret', '--json', '--config', scene.options.configFile!]);
  expect(code).toBe(0);
  const { secret } = JSON.parse(stdout) as { readonly secret: string };
  const executed: string[] = [];
  const receiver = createWebhookReceiver({
    licenseKeys: licenseKey,
    signingSecrets: secret,
    onAction: ({ id }) => {
      executed.push(id);
      return { executed: true };
    },
  });
  return { receiver, executed };
}

function messageOf(action: ReceivedAction): unknown {
  return JSON.parse(action.body);
}

describe('a held payment', () => {
  it('is answered as held, and so is the same payment sent again', async () => {
    const first = await pay('A-1', 1_500);
    expect(first).toMatchObject({
      fired: [{ reason: 601 }],
      actions: [{ action: 7 }],
      hold: { state: 'open', otherwise: 'reject', webhookId: first.actions[0]!.webhookId },
    });
    const again = await pay('A-2', 1_500);
    expect(again).toMatchObject({ fired: [{ reason: 601 }], actions: [{ action: 7 }], hold: { state: 'open' } });
    expect(again.id).not.toBe(first.id);
    expect(await pay('A-3', 900)).toMatchObject({ fired: [], actions: [] });
  });

  it.concurrent(
    'is rejected at its deadline, each operation under its own event and reference',
    async () => {
      const held = [await pay('B-1', 2_500), await pay('B-2', 2_500)];
      for (const [place, { id, hold }] of held.entries()) {
        const end = await eventually('the end of the hold arrives', afterDeadlineMs, () => endOf(hold!.webhookId));
        expect(end.headers['ringfence-event']).toBe(id);
        expect(messageOf(end)).toMatchObject({ action: 9, reason: 601, message: `B-${place + 1} was rejected` });
      }
      const ends = scene.receiver.received.filter(({ headers }) => headers['ringfence-resolves'] !== undefined);
      expect(new Set(ends.map(({ webhookId }) => webhookId)).size).toBe(ends.length);
      // The bank asks, and learns the end.
      const told = await status({ event: held[0]!.id });
      expect(told).toMatchObject({
        status: 'decided',
        hold: { state: 'rejected', resolvedBy: 'deadline', webhookId: held[0]!.hold!.webhookId },
        actions: [
          { action: 7, state: 'executed' },
          { action: 9, state: 'executed' },
        ],
        client: { blocked: false },
        session: { active: true },
      });
    },
    afterDeadlineMs + 20_000,
  );

  it.concurrent('is released by a person, once', async () => {
    const { hold, id } = await pay('C-1', 3_500);
    const decide = (decision: string): Promise<number> =>
      scene.management.post(`holds/${hold!.webhookId}/decision`, { decision, comment: 'she called' });
    expect(await decide('release')).toBe(202);
    expect(await decide('reject')).toBe(409);
    const end = await eventually('the payment is released', 60_000, () => endOf(hold!.webhookId));
    expect(end.headers['ringfence-event']).toBe(id);
    expect(messageOf(end)).toMatchObject({ action: 8, message: 'C-1 was released' });
    expect(await decide('reject')).toBe(409);
    await expectAuthenticOnly(end, scene.receiver.executed.get(hold!.webhookId)!);
  }, 80_000);
});

/** The bank's receiver refuses a webhook of which any part was exchanged, and executes the real one once. */
async function expectAuthenticOnly(end: ReceivedAction, other: ReceivedAction): Promise<void> {
  const { receiver, executed } = await openReceiver();
  const statusOf = async (headers: ReceivedAction['headers'], body = end.body): Promise<number> =>
    (await receiver.receive({ headers, body: Buffer.from(body) })).status;
  const { 'ringfence-resolves': resolves, ...cut } = end.headers;
  expect(resolves).toBe(other.webhookId);
  const forged = [
    cut,
    { ...end.headers, 'ringfence-resolves': end.webhookId },
    { ...end.headers, 'ringfence-event': 'evt_1_1' },
    { ...end.headers, 'ringfence-reference': 'C-2' },
    { ...end.headers, 'ringfence-signature': other.headers['ringfence-signature'] },
    { ...end.headers, 'webhook-id': other.webhookId },
    { ...end.headers, 'webhook-timestamp': String(Number(end.headers['webhook-timestamp']) - 1) },
    // The headers of the hold, as a release.
    { ...other.headers, 'ringfence-resolves': resolves },
  ];
  for (const headers of forged) expect(await statusOf(headers)).toBe(401);
  expect(await statusOf(end.headers, other.body)).toBe(401);
  expect(executed).toEqual([]);
  expect([await statusOf(end.headers), await statusOf(end.headers)]).toEqual([200, 200]);
  expect(executed).toEqual([end.webhookId]);
}
