import { limits } from './limits.ts';
import type { Json } from './signal.ts';

/**
 * A copy of what a signal read that any JSON reader takes: bounded in length, number and depth, without NUL, without
 * lone surrogates. A page can put anything behind the browser's members; functions and the like become null.
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
  // Cut first: a pair that is cut in two leaves a lone surrogate.
  return text.slice(0, limits.textLengthMax).replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD');
}
