import { Webhook } from 'standardwebhooks';
import type { ActionRequest } from '../../src/webhook/action.ts';
import type { WebhookRequest } from '../../src/webhook/receiver.ts';

export const licenseKey = 'license key of a test, 32 characters';
export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

export const action: ActionRequest = {
  action: 2,
  channel: 1,
  date: '2026-11-21T10:00:00-06:00',
  message: 'Se cerró tu sesión',
  reason: 101,
  session: 's-1',
  client: 'ab'.repeat(32),
};

export interface Signing {
  readonly id?: string;
  readonly atMs?: number;
  readonly secret?: string;
  readonly key?: string;
  /** What the service says about the action: `event`, `resolves`, `reference`. */
  readonly told?: { readonly event?: string; readonly resolves?: string; readonly reference?: string };
}

/** A request as the service sends it, signed by the independent library. */
export function signedRequest(payload: unknown = action, signing: Signing = {}): WebhookRequest {
  const { id = 'act_1', atMs = Date.now(), key = licenseKey, told = { event: 'evt_1_1' } } = signing;
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const signer = new Webhook(signing.secret ?? secret);
  const { event = '', resolves = '', reference = '' } = told;
  return {
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(atMs / 1_000)),
      'webhook-signature': signer.sign(id, new Date(atMs), text),
      ...Object.fromEntries(Object.entries(told).map(([name, value]) => [`ringfence-${name}`, value])),
      'ringfence-signature': signer.sign(id, new Date(atMs), `${event}.${resolves}.${reference}`),
    },
    body: Buffer.from(text),
  };
}
