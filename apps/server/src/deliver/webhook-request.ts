import type { KeyObject } from 'node:crypto';
import type { ActionRequest } from '@ringfence/contract';
import {
  type ActionPayload,
  checkPublicKey,
  encryptClient,
  hashClient,
  percentEncode,
  sign,
  signHeaders,
} from '@ringfence/delivery';
import { signingSecrets } from '../tenancy/workspaces/signing-secret.ts';
import type { WebhookSettings, Workspace } from '../tenancy/workspaces/workspace.ts';
import { webhookDate } from './webhook-date.ts';

/** The content of a request: an opened action. */
export interface RequestContent extends ActionPayload {
  /** The action's id, or the id of a test. */
  readonly id: string;
  /** The id of the event; `undefined` for a test. */
  readonly event: string | undefined;
  readonly action: number;
  readonly channelId: number;
  readonly reason: number;
  readonly decidedAtMs: number;
  /** For the action that ends a hold: the id of the action that asked for it. */
  readonly resolves?: string | undefined;
}

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; exactly these bytes are signed. */
  readonly body: string;
}

export interface Sender {
  readonly workspace: Workspace;
  readonly settings: WebhookSettings;
  /** The license key that is sent. */
  readonly sendingKey: string;
}

const userAgent = 'Ringfence/0.1 (webhook)';

/**
 * The POST of one attempt: body as in spec 2.4, Bearer key as in spec 5.3, the Standard Webhooks headers, and signed
 * headers that say which event the action is about. The id
 * and the body's date are those of the decision, equal for all attempts; timestamp and signature belong to this
 * attempt.
 */
export function webhookRequest(content: RequestContent, sender: Sender, nowMs: number): WebhookRequest {
  const body = JSON.stringify(requestBody(content, sender));
  const { id, event = '', resolves = '' } = content;
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const secrets = signingSecrets(sender.workspace, nowMs);
  const reference = sender.settings.sendReference ? percentEncode(content.reference ?? '') : '';
  const told = { event, resolves, reference };
  return {
    body,
    headers: {
      authorization: `Bearer ${sender.sendingKey}`,
      ...signedHeaders({ id, timestampSeconds, body }, secrets),
      ...(event === '' ? {} : { 'ringfence-event': event }),
      ...(resolves === '' ? {} : { 'ringfence-resolves': resolves }),
      ...(reference === '' ? {} : { 'ringfence-reference': reference }),
      'ringfence-signature': signHeaders({ id, timestampSeconds, ...told }, secrets),
    },
  };
}

/** The headers of every POST that is signed by the Standard Webhooks scheme. Without a secret: not signed. */
export function signedHeaders(
  { id, timestampSeconds, body }: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
  secrets: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    // An answer has about a hundred bytes; allowing compression would only allow decompression bombs.
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    ...(secrets.length === 0 ? {} : { 'webhook-signature': sign({ id, timestampSeconds, body }, secrets) }),
  };
}

function requestBody(content: RequestContent, { workspace, settings }: Sender): ActionRequest {
  const { client, session, message, action, channelId, reason, decidedAtMs } = content;
  const key = publicKeyOf(settings);
  const clientRSA = key && encryptClient(client, key, settings.oaepMgf1Hash);
  return {
    action,
    channel: channelId,
    date: webhookDate(decidedAtMs, workspace.settings.timezone, settings.dateStyle),
    message,
    reason,
    session,
    client: hashClient(client, settings.clientHash === 'hmac' ? workspace.secrets.pepper : undefined),
    ...(clientRSA === undefined ? {} : { clientRSA }),
  };
}

/** Parsed once per settings object, which is immutable. */
const publicKeys = new WeakMap<WebhookSettings, KeyObject>();

function publicKeyOf(settings: WebhookSettings): KeyObject | undefined {
  if (settings.publicKeyPem === undefined) return undefined;
  const known = publicKeys.get(settings);
  if (known !== undefined) return known;
  const checked = checkPublicKey(settings.publicKeyPem);
  // Checked when it was set; if a newer version rejects the key, only the optional member is omitted, not the action.
  if (checked.ok) publicKeys.set(settings, checked.key);
  return checked.ok ? checked.key : undefined;
}
