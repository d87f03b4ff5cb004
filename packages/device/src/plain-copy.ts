import { limits } from './limits.ts';
import type { Json } from './signal.ts';

/**
 * A copy of a signal's value that any JSON reader accepts: bounded in length, number and depth, without NUL and lone
 * surrogates. A page can replace the browser's members by anything; functions and the like become null.
 */
export function plainCopy(value: unknown, depth = 1): Json {
  switch (typeof value) {
    case 'string':
      return plainText(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'boolean':
      return value;
    case 'object':
      return value === null || depth > limits.depthMax ? null : plainObject(value, depth);
    default:
      return null;
  }
}

function plainObject(value: object, depth: number): Json {
  if (Array.isArray(value)) return value.slice(0, limits.itemsMax).map((item) => plainCopy(item, depth + 1));
  const members = Object.entries(value).slice(0, limits.itemsMax);
  return Object.fromEntries(members.map(([name, member]) => [plainText(name), plainCopy(member, depth + 1)]));
}

function plainText(text: string): string {
  // Cut first, because cutting a surrogate pair leaves a lone surrogate.
  return text.slice(0, limits.textLengthMax).replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD');
}
