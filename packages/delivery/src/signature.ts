import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondMs } from '@ringfence/contract';

/*
 * Standard Webhooks, symmetric scheme v1: HMAC-SHA-256 over `id.timestamp.body`, base64.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

const secretPrefix = 'whsec_';
/** Timestamps further away, past or future, are rejected. This limits how long a captured request can be replayed. */
const toleranceMs = 300 * secondMs;
/** Most signatures of one request that are checked: two secrets in rotation, and other schemes. */
const signaturesMax = 8;

export interface SignedParts {
  /** The same for all attempts of an action. */
  readonly id: string;
  /** Whole seconds since the Unix epoch, of this attempt. */
  readonly timestampSeconds: number;
  /** Exactly the bytes that are sent. */
  readonly body: string | Uint8Array;
}

/**
 * The `webhook-signature` header: one signature per secret, separated by spaces. During a rotation both secrets sign,
 * and a receiver that has either one accepts the request.
 */
export function sign(parts: SignedParts, secrets: readonly Uint8Array[]): string {
  return secrets.map((secret) => `v1,${signatureOf(parts, secret).toString('base64')}`).join(' ');
}

function signatureOf(parts: SignedParts, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${parts.id}.${parts.timestampSeconds}.`).update(parts.body).digest();
}

/** What the headers of a request say about its action. None of them contains a full stop. */
export interface ActionHeaders {
  /** The id of the event that was decided. "": a test. */
  readonly event: string;
  /** The id of the action whose hold this one ends. "": none. */
  readonly resolves: string;
  /** The reference of the payment, percent-encoded. "": not sent. */
  readonly reference: string;
}

/**
 * The `ringfence-signature` header: signs the action's headers together with `webhook-id` and `webhook-timestamp`, so
 * that none of them can be removed, or replaced by that of another request. In the form of `webhook-signature`. The
 * two cannot be exchanged: a body begins with a brace.
 */
export function signHeaders(
  parts: Pick<SignedParts, 'id' | 'timestampSeconds'> & ActionHeaders,
  secrets: readonly Uint8Array[],
): string {
  const { id, timestampSeconds, event, resolves, reference } = parts;
  return sign({ id, timestampSeconds, body: `${event}.${resolves}.${reference}` }, secrets);
}

/** Encodes every byte of the UTF-8 but letters and digits, so that any text fits into a header. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[-_.!~*'()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export interface SignedRequest {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: string | Uint8Array;
}

export type Verification = 'valid' | 'missing' | 'stale' | 'mismatch';

/** Verifies a request's three headers against any of the secrets, in constant time per signature. */
export function verify(request: SignedRequest, secrets: readonly Uint8Array[], nowMs: number): Verification {
  const { id, timestamp, signature, body } = request;
  if (!id || !timestamp || !signature) return 'missing';
  if (!/^\d{1,12}$/.test(timestamp)) return 'mismatch';
  const timestampSeconds = Number(timestamp);
  if (Math.abs(nowMs - timestampSeconds * secondMs) > toleranceMs) return 'stale';

  // Compares the texts, not their decoded bytes: only one encoding of a signature is valid.
  const expected = secrets.map((secret) => Buffer.from(sign({ id, timestampSeconds, body }, [secret])));
  const given = signature.split(' ', signaturesMax).map((part) => Buffer.from(part));
  let valid = false; // no early exit, which would reveal the number of comparisons
  for (const one of given) {
    for (const other of expected) {
      if (one.length === other.length && timingSafeEqual(one, other)) valid = true;
    }
  }
  return valid ? 'valid' : 'mismatch';
}

/** The secret in the form of the receivers' libraries: `whsec_` and base64. */
export function secretText(secret: Uint8Array): string {
  return secretPrefix + Buffer.from(secret).toString('base64');
}
