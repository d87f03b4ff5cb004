import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Shorter secrets could be guessed. Source: Standard Webhooks, "between 24 bytes and 64 bytes". */
const secretBytesMin = 24;

/** The three headers that sign a request. Source: https://www.standardwebhooks.com */
export interface SignatureHeaders {
  readonly id: string;
  /** Seconds since 1970, in digits. */
  readonly timestamp: string;
  /** Signatures separated by spaces, each `v1,` and base64. */
  readonly signature: string;
}

/** What the signed headers of the service say about the action. "" for an absent header. */
export interface ActionHeaders {
  readonly event: string;
  readonly resolves: string;
  /** Percent-encoded. */
  readonly reference: string;
  /** Signs the three together with the id and the timestamp of the request. */
  readonly signature: string;
}

/**
 * Whether an `Authorization` header contains one of the keys. Compares the digests of all keys, so that the time
 * reveals neither how much of a key was right nor its length.
 */
export function hasKey(authorization: string | undefined, keys: readonly string[]): boolean {
  const token = /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1] ?? '';
  const given = digest(token);
  let isRight = false;
  for (const key of keys) isRight = timingSafeEqual(given, digest(key)) || isRight;
  return isRight;
}

/**
 * Whether one of the signatures is valid for exactly this body under one of the secrets. In constant time, as `hasKey`.
 */
export function isSigned(headers: SignatureHeaders, body: Uint8Array, secrets: readonly Buffer[]): boolean {
  const given = headers.signature.split(' ', signaturesMax).map((signature) => Buffer.from(signature));
  let isRight = false;
  for (const secret of secrets) {
    const mac = createHmac('sha256', secret).update(`${headers.id}.${headers.timestamp}.`).update(body);
    // Compares texts: lenient base64 decoding would accept several texts for the same signature.
    const right = Buffer.from(`v1,${mac.digest('base64')}`);
    for (const signature of given) {
      isRight = (signature.length === right.length && timingSafeEqual(signature, right)) || isRight;
    }
  }
  return isRight;
}

/** Whether the action's headers are those of this request. */
export function areHeadersSigned(
  request: Pick<SignatureHeaders, 'id' | 'timestamp'>,
  { event, resolves, reference, signature }: ActionHeaders,
  secrets: readonly Buffer[],
): boolean {
  const { id, timestamp } = request;
  return isSigned({ id, timestamp, signature }, Buffer.from(`${event}.${resolves}.${reference}`), secrets);
}

/** During a rotation there are two signatures; no genuine request has more than a handful. */
const signaturesMax = 8;

/**
 * Decodes a signing secret, written as `whsec_` and base64 or as base64 alone.
 *
 * @throws TypeError when it is shorter than 24 bytes, or not base64
 */
export function decodeSecret(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || bytes.length < secretBytesMin) {
    throw new TypeError(
      `a signing secret must be base64 of at least ${secretBytesMin} bytes, with or without "whsec_"`,
    );
  }
  return bytes;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
