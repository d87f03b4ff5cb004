import { createHmac, hash } from 'node:crypto';

export const masterKeyBytes = 32;

/** A key that encrypts every other secret at rest. It is never in the database. */
export interface MasterKey {
  readonly key: Buffer;
  /** Identifies the key without revealing it. Sealed values state it, so that keys can be rotated one by one. */
  readonly id: string;
}

/**
 * `undefined` unless the text is exactly 32 bytes, in hex (64 digits) or base64 (43 or 44 characters, either alphabet).
 */
export function parseMasterKey(text: string): MasterKey | undefined {
  const key = bytesOf(text);
  return key?.length === masterKeyBytes ? { key, id: masterKeyId(key) } : undefined;
}

function bytesOf(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** 8 hex digits of a one-way hash. */
function masterKeyId(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('ringfence master key id\0'), key]), 'hex').slice(0, 8);
}

/** Stored in the database to recognise the key. Reveals nothing to anyone without the key. */
export function masterKeyCheck({ key }: MasterKey): Buffer {
  return createHmac('sha256', key).update('ringfence master key check').digest();
}
