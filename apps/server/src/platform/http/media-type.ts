import { Problem } from '@ringfence/contract';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Accepts `application/json` in UTF-8: no other type, no other charset, no content coding.
 *
 * @throws Problem
 */
export function requirePlainJson(headers: IncomingHttpHeaders): void {
  if (!isPlainJson(headers))
    throw new Problem('type.unsupported', 'Send "Content-Type: application/json", in UTF-8 and without compression.');
}

function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return false;
  const type = headers['content-type'];
  // The values that nearly every sender uses, before the regular expression.
  if (type === 'application/json' || type === 'application/json; charset=utf-8') return true;
  return type !== undefined && jsonType.test(type);
}

const jsonType = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;
