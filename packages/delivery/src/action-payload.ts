import { createHmac } from 'node:crypto';
import { assert } from '@ringfence/contract';

/** What an action says about a person. It is stored sealed only. */
export interface ActionPayload {
  readonly client: string;
  /** "" for the unnamed session. */
  readonly session: string;
  readonly message: string;
}

/** The bytes to seal: UTF-8 JSON with the members in this order. */
export function encodeActionPayload({ client, session, message }: ActionPayload): Buffer {
  return Buffer.from(JSON.stringify({ client, session, message }));
}

/** The payload back from opened bytes. @throws InvariantError when they are not what `encodeActionPayload` made */
export function decodeActionPayload(bytes: Uint8Array): ActionPayload {
  const value = JSON.parse(Buffer.from(bytes).toString()) as Partial<ActionPayload>;
  const { client, session, message } = value;
  assert(
    typeof client === 'string' && typeof session === 'string' && typeof message === 'string',
    'a sealed action holds client, session and message',
  );
  return { client, session, message };
}

/** Everything that is decided about an action, and must be decided the same again. */
export interface ActionContent extends ActionPayload {
  readonly action: number;
  readonly channelId: number;
  readonly subject: string | undefined;
  readonly format: 'text' | 'html';
  readonly state: string;
  readonly decidedAtMs: number;
}

/**
 * 16 bytes of HMAC-SHA-256 over the content: equal contents are equal under one key, whenever they are sealed. Keyed,
 * because the hash of a short message to a known client could be guessed.
 *
 * @param indexKey the workspace's key for blind indexes
 */
export function hashActionContent(indexKey: Uint8Array, content: ActionContent): Buffer {
  const { action, channelId, subject, format, state, decidedAtMs, client, session, message } = content;
  const parts = [action, channelId, subject ?? null, format, state, decidedAtMs, client, session, message];
  return createHmac('sha256', indexKey).update(JSON.stringify(parts)).digest().subarray(0, 16);
}
