import { hkdfSync, type KeyObject } from 'node:crypto';
import { keyObjectOf } from './key-object.ts';

/** By the bytes of the data key, for as long as those are referenced. */
const keys = new WeakMap<Uint8Array, KeyObject>();

/**
 * The key that signs a workspace's chain of records and the seals of its stored states, derived from its data key: that
 * is never changed, so a rotation of the master key keeps the chain.
 */
export function chainKey(dataKey: Uint8Array): KeyObject {
  let made = keys.get(dataKey);
  if (made === undefined) {
    made = keyObjectOf(new Uint8Array(hkdfSync('sha256', keyObjectOf(dataKey), '', 'ringfence chain', 32)));
    keys.set(dataKey, made);
  }
  return made;
}
