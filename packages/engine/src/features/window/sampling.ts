import { textHash } from '../../store/memory/text-hash.ts';

/**
 * Whether a value still counts when the count of distinct values was halved so many times. By the value's hash, so
 * that it is the same for every event and every entity.
 */
export function isSampled(text: string, halvings: number): boolean {
  return halvings === 0 || isHashSampled(textHash(text), halvings);
}

/** The same by the value's `textHash`; of at least one halving. */
export function isHashSampled(hash: number, halvings: number): boolean {
  return hash >>> (32 - halvings) === 0;
}
