import { canonicalText, type JsonValue, Problem } from '@ringfence/contract';
import type { LogEntry } from '@ringfence/log';
import type { RequestKind } from './routes.ts';
import { blindIndex, indexHmac } from '../platform/secrets/blind-index.ts';

/** The header, as errors spell it. */
export const idempotencyHeader = 'Idempotency-Key';
/** The header in an OpenAPI document. */
export const idempotencyParameter = {
  name: idempotencyHeader,
  in: 'header',
  description:
    "The sender's own id for this event, which makes it safe to send again: 1 to 255 printable ASCII characters, kept for 24 hours. Bodies are compared as JSON, whatever their white space and the order of their members.",
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  example: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
};
/** `Idempotency-Replayed`, in an OpenAPI document. */
export const replayedHeader = {
  description: '`true`: the event was stored before, and the id is that of the first one.',
  schema: { type: 'string', examples: ['true'] },
};
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
 * The same for the report of an outcome, whichever interface takes it.
 *
 * @throws Problem for a malformed key
 */
export function outcomeIdempotency(
  key: string | readonly string[] | undefined,
  { indexKey, body }: { readonly indexKey: Uint8Array; readonly body: JsonValue },
): LogEntry['idempotency'] {
  const canonicalBody = key === undefined ? '' : canonicalText(body);
  return idempotencyOf(key, { indexKey, kind: 'outcome', canonicalBody });
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
