import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Fewer bytes could be guessed. Source: Standard Webhooks, "between 24 bytes and 64 bytes". */
const secretBytesMin = 24;

/** The three headers that sign a request. Source: https://www.standardwebhooks.com */
export interface SignatureHeaders {
  readonly id: string;
  /** Seconds since 1970, in digits. */
  readonly timestamp: string;
  /** Signatures divided by spaces, each `v1,` and base64. */
  readonly signature: string;
}

/**
 * Whether an `Authorization` header carries one of the keys. All keys are compared, digest against digest, so that the
 * time taken tells neither how much of a key was right nor how long it is.
 */
export function hasKey(authorization: string | undefined, keys: readonly string[]): boolean {
  const token = /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1] ?? '';
  const given = digest(token);
  let isRight = false;
  for (const key of keys) isRight = timingSafeEqual(given, digest(key)) || isRight;
  return isRight;
}

/** Whether one of the signatures was made with one of the secrets over exactly this body. In constant time, as `hasKey`. */
export function isSigned(headers: SignatureHeaders, body: Uint8Array, secrets: readonly Buffer[]): boolean {
  const given = headers.signature.split(' ', signaturesMax).map((signature) => Buffer.from(signature));
  let isRight = false;
  for (const secret of secrets) {
    const mac = createHmac('sha256', secret).update(`${headers.id}.${headers.timestamp}.`).update(body);
    // Compared as text: a lenient reading of base64 would take more than one text for the same signature.
    const right = Buffer.from(`v1,${mac.digest('base64')}`);
    for (const signature of given) {
      isRight = (signature.length === right.length && timingSafeEqual(signature, right)) || isRight;
    }
  }
  return isRight;
}

/** A secret that is being replaced makes two signatures; more than a handful is nobody's honest request. */
const signaturesMax = 8;

/**
 * The bytes of a signing secret, written as `whsec_` and base64 or as base64 alone.
 *
 * @throws TypeError when it is shorter than 24 bytes, or no base64
 */
export function decodeSecret(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || bytes.length < secretBytesMin) {
    throw new TypeError(`a signing secret is base64 of at least ${secretBytesMin} bytes, with or without "whsec_"`);
  }
  return bytes;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
