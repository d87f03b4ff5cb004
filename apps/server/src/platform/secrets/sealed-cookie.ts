import { createHmac } from 'node:crypto';
import type { MasterKeys } from './master-keys.ts';
import { open, seal, SealError } from './seal.ts';

/**
 * A value in a cookie that only this service can read and write.
 *
 * @param context names its use: a value of one use is not one of another
 */
export function sealCookie(master: MasterKeys, context: string, value: object): string {
  const { id, key } = master.all()[0]!;
  const sealed = seal(cookieKey(key, context), Buffer.from(JSON.stringify(value)), { of: context, row: '' });
  return `${id}.${sealed.toString('base64url')}`;
}

/** Opens what `sealCookie` wrote; `undefined` for anything else. */
export function openCookie(master: MasterKeys, context: string, text: string): unknown {
  const [id = '', sealed = ''] = text.split('.', 2);
  const known = master.get(id);
  const bytes = Buffer.from(sealed, 'base64url');
  // What the decoder overlooks was not written by this service.
  if (known === undefined || bytes.toString('base64url') !== sealed) return undefined;
  try {
    return JSON.parse(open(cookieKey(known.key, context), bytes, { of: context, row: '' }).toString());
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

/** A separate key for each use, so that nothing else is ever encrypted with it. */
function cookieKey(masterKey: Buffer, context: string): Buffer {
  return createHmac('sha256', masterKey).update(`ringfence ${context}`).digest();
}
