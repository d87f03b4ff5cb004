/**
 * Goal: the secret that signs webhooks is replaced while the service runs, and no receiver fails to verify one. Method:
 * a real service; one receiver, whose requests are verified with the old and the new secret by the library of Standard
 * Webhooks, like two banks that adopt the new one early and late.
 */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { connectToEmbedded } from '../harness/postgres.ts';
import { openScene, type Scene, stateOf } from '../harness/scene.ts';
import type { ReceivedAction } from '../harness/webhook-receiver.ts';

const policy = {
  'policy.yaml': `rules:
  - { reason: 1, name: Every operation, on: [operation], when: order.amount > 0, then: { action: 3, message: Seen }, mode: live }
`,
};

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ policy, sessionGraceSeconds: 0 });
});
afterAll(() => scene.close());

async function webhook(line: string): Promise<{ readonly secret: string }> {
  const { code, stdout } = await runCommand([
    'webhook',
    ...line.split(' '),
    '--json',
    '--config',
    scene.options.configFile!,
  ]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { readonly secret: string };
}

let sent = 0;

/** The webhook of an operation that is sent now. */
async function nextAction(): Promise<ReceivedAction> {
  const seen = scene.receiver.received.length;
  const answer = await scene.tell('operation', {
    channelId: 1,
    timestamp: new Date().toISOString(),
    transaction: { category: 'transfer', reference: `operation-${++sent}` },
    account: { client: 'ana' },
    order: { amount: 1, currency: 'MXN' },
  });
  expect(answer.status).toBe(200);
  return eventually('the webhook arrives', 10_000, () => scene.receiver.received[seen]);
}

/** The first webhook with this many signatures: processes follow a change within 5 s. */
function signedBy(count: number): Promise<ReceivedAction> {
  return eventually(`webhooks carry ${count} signatures`, 5_000, async () => {
    const action = await nextAction();
    return signaturesOf(action).length === count ? action : undefined;
  });
}

function signaturesOf({ headers }: ReceivedAction): readonly string[] {
  return String(headers['webhook-signature']).split(' ');
}

function accepts(secret: string, { body, headers }: ReceivedAction): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('a signing secret', () => {
  let first: string;
  let second: string;

  it('is the only signature at first', async () => {
    first = (await webhook('secret')).secret;
    const action = await nextAction();
    expect(signaturesOf(action)).toHaveLength(1);
    expect(accepts(first, action)).toBe(true);
  });

  it('continues to sign beside the new one after its replacement: a receiver with either accepts', async () => {
    second = (await webhook('rotate-secret')).secret;
    const action = await signedBy(2);
    expect(accepts(first, action)).toBe(true);
    expect(accepts(second, action)).toBe(true);
  });

  it('does not sign after it is retired', async () => {
    await webhook('retire-secret');
    const action = await signedBy(1);
    expect(accepts(first, action)).toBe(false);
    expect(accepts(second, action)).toBe(true);
  });

  it('does not sign after its overlap has expired, without any command', async () => {
    const third = (await webhook('rotate-secret --overlap-hours 1')).secret;
    const during = await signedBy(2);
    expect([second, third].map((secret) => accepts(secret, during))).toEqual([true, true]);
    const database = await connectToEmbedded(stateOf(scene));
    await database.query(
      `UPDATE workspace_secret SET signs_until = now() + interval '1 second' WHERE signs_until > now()`,
    );
    await database.end();
    const after = await signedBy(1);
    expect([second, third].map((secret) => accepts(secret, after))).toEqual([false, true]);
  });
});
