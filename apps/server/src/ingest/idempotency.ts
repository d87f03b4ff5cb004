import { Problem } from '@ringfence/contract';
import type { LogEntry } from '@ringfence/log';
import type { RequestKind } from './routes.ts';
import { blindIndex, indexHmac } from '../platform/secrets/blind-index.ts';

/** The header, as errors spell it. */
export const idempotencyHeader = 'Idempotency-Key';
/** 1 to 255 printable ASCII characters. */
const keyForm = /^[\x20-\x7e]{1,255}$/;

/**
 * What the log needs to recognise a retry by its `Idempotency-Key`: keyed hashes of the key and of the body. Neither the
 * body nor the key, which may identify a client, can be recovered from them.
 *
 * @throws Problem for a malformed key
 */
export function idempotencyOf(
  key: string | readonly string[] | undefined,
  request: { readonly indexKey: Uint8Array; readonly kind: RequestKind; readonly canonicalBody: string },
): LogEntry['idempotency'] {
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !keyForm.test(key)) {
    throw idempotencyKeyProblem();
  }
  return {
    key: blindIndex(request.indexKey, `${request.kind}\0${key}`, 'idempotency-key'),
    fingerprint: indexHmac(request.indexKey).update('idempotency-json\0').update(request.canonicalBody).digest(),
  };
}

/**
 * The same with a hash of the body's bytes. Keys that were stored before bodies were compared as JSON have it, and a
 * retry may arrive up to a day after the upgrade.
 */
export function bytewiseIdempotency(
  idempotency: NonNullable<LogEntry['idempotency']>,
  request: { readonly indexKey: Uint8Array; readonly body: Uint8Array },
): LogEntry['idempotency'] {
  const fingerprint = indexHmac(request.indexKey).update('idempotency-body\0').update(request.body).digest();
  return { ...idempotency, fingerprint };
}

/** The problem for a malformed key. Its pointer is the header's name, as for a parameter. */
export function idempotencyKeyProblem(): Problem {
  const detail = 'The Idempotency-Key is not 1 to 255 printable ASCII characters.';
  return new Problem('request.invalid', detail, {
    errors: [{ pointer: `/${idempotencyHeader}`, detail, expected: '1 to 255 printable ASCII characters' }],
  });
}
