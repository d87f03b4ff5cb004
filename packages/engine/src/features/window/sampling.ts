import { textHash } from '../../bytes/text-hash.ts';

/**
 * Whether a value still counts after the sample of distinct values was halved `halvings` times. Decided by the value's
 * hash, so it is the same for every event and every entity.
 */
export function isSampled(text: string, halvings: number): boolean {
  return halvings === 0 || isHashSampled(textHash(text), halvings);
}

/** The same, by the value's `textHash`; `halvings` must be at least 1. */
export function isHashSampled(hash: number, halvings: number): boolean {
  return hash >>> (32 - halvings) === 0;
}
