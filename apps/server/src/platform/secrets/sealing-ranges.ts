/**
 * AES-GCM with random IVs is safe for 2^32 messages under one key (NIST SP 800-38D, 8.3). A key that is never changed
 * must therefore not encrypt every message itself:
 *
 *   range 0          the key itself: the first messages of a thread, so that a client's key costs no derivation
 *   range 1 and up   HKDF-SHA-256 of the key and the range's number: 2^20 messages, then another range
 *
 * Threads and processes draw the numbers of ranges by chance, so they need not agree on them. Two that draw the same one
 * share its key, which is harmless up to 4,096 times. A key thus serves some 2^52 messages.
 */
import { hkdfSync, type KeyObject, randomInt } from 'node:crypto';
import { keyObjectOf } from './key-object.ts';

/** Messages under the key itself, for each thread and each time that it reads the key: four million times are allowed. */
export const ownMessagesMax = 1_024;
/** A derivation is then no measurable part of a message. */
const rangeMessagesMax = 2 ** 20;
const rangesMax = 2 ** 32;
/** Derived keys that a thread keeps for each key; one more costs a derivation, 5 microseconds, each time. */
const keptMax = 1_024;

interface Ranges {
  /** Derived keys; most keys need none. */
  kept: Map<number, KeyObject> | undefined;
  range: number;
  /** What encrypts now, and for how many further messages. */
  key: KeyObject;
  left: number;
}

/** By the bytes or the object of the key, for as long as those are referenced. */
const rangesOf = new WeakMap<Uint8Array | KeyObject, Ranges>();

/** The range for one further message, and its key. */
export function nextInRange(key: Uint8Array | KeyObject): { readonly range: number; readonly key: KeyObject } {
  const ranges = readRanges(key);
  if (ranges.left === 0) {
    ranges.range = randomInt(1, rangesMax);
    ranges.key = derived(ranges, key, ranges.range);
    ranges.left = rangeMessagesMax;
  }
  ranges.left -= 1;
  return ranges;
}

export function keyOfRange(key: Uint8Array | KeyObject, range: number): KeyObject {
  return range === 0 ? keyObjectOf(key) : derived(readRanges(key), key, range);
}

function readRanges(key: Uint8Array | KeyObject): Ranges {
  let ranges = rangesOf.get(key);
  if (ranges === undefined) {
    ranges = { kept: undefined, range: 0, key: keyObjectOf(key), left: ownMessagesMax };
    rangesOf.set(key, ranges);
  }
  return ranges;
}

function derived(ranges: Ranges, key: Uint8Array | KeyObject, range: number): KeyObject {
  const kept = (ranges.kept ??= new Map<number, KeyObject>());
  let made = kept.get(range);
  if (made === undefined) {
    made = keyObjectOf(new Uint8Array(hkdfSync('sha256', keyObjectOf(key), '', `ringfence range ${range}`, 32)));
    // The oldest one: a map lists its entries in the order in which they were added.
    if (kept.size === keptMax) kept.delete(kept.keys().next().value!);
    kept.set(range, made);
  }
  return made;
}
