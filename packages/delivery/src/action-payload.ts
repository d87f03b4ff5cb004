import { createHmac } from 'node:crypto';
import { assert } from '@ringfence/contract';

/** The personal data of an action. It is stored only encrypted. */
export interface ActionPayload {
  readonly client: string;
  /** "" for the unnamed session. */
  readonly session: string;
  readonly message: string;
  /** `transaction.reference` of the payment, as it was sent; absent if there is none, or if it was masked. */
  readonly reference?: string | undefined;
}

/** The bytes to encrypt: UTF-8 JSON with the members in this order. */
export function encodeActionPayload({ client, session, message, reference }: ActionPayload): Buffer {
  return Buffer.from(JSON.stringify({ client, session, message, reference }));
}

/** Parses decrypted bytes. @throws InvariantError when `encodeActionPayload` did not write them */
export function decodeActionPayload(bytes: Uint8Array): ActionPayload {
  const value = JSON.parse(Buffer.from(bytes).toString()) as Partial<ActionPayload>;
  const { client, session, message, reference } = value;
  assert(
    typeof client === 'string' && typeof session === 'string' && typeof message === 'string',
    'an encrypted action contains client, session and message',
  );
  return { client, session, message, ...(typeof reference === 'string' ? { reference } : {}) };
}

/** The decided content of an action; deciding the same event again must yield the same content. */
export interface ActionContent extends Omit<ActionPayload, 'reference'> {
  readonly action: number;
  readonly channelId: number;
  readonly subject: string | undefined;
  readonly format: 'text' | 'html';
  readonly state: string;
  readonly decidedAtMs: number;
}

/**
 * 16 bytes of HMAC-SHA-256 over the content. Under one key, equal contents have equal hashes, however often they are
 * encrypted. The hash is keyed because that of a short message to a known client could be guessed.
 *
 * @param indexKey the workspace's key for blind indexes
 */
export function hashActionContent(indexKey: Uint8Array, content: ActionContent): Buffer {
  const { action, channelId, subject, format, state, decidedAtMs, client, session, message } = content;
  const parts = [action, channelId, subject ?? null, format, state, decidedAtMs, client, session, message];
  return createHmac('sha256', indexKey).update(JSON.stringify(parts)).digest().subarray(0, 16);
}
