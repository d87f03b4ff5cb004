import { assert } from '@ringfence/contract';
import { exponential } from '../logistic.ts';

/** Which rows are trained on, and what they weigh. */
export interface Sampling {
  /** Above 0, at most 1. The legitimate rows that are kept weigh as much as all. */
  readonly legitimateShare: number;
  /** A row of this age weighs half of one of today. Absent: all ages weigh the same. */
  readonly halfLifeMs?: number;
}

export const samplingDefault: Sampling = { legitimateShare: 1 };

/** What a row weighs; 0 if it is left out. Its identity decides, so the same rows are kept by every training. */
export function rowWeight(
  row: { readonly fraud: boolean; readonly identity: string | number; readonly ageMs: number },
  { legitimateShare, halfLifeMs }: Sampling,
): number {
  assert(legitimateShare > 0 && legitimateShare <= 1, 'the share is above 0 and at most 1');
  if (!row.fraud && !isKept(row.identity, legitimateShare)) return 0;
  const weight = row.fraud ? 1 : 1 / legitimateShare;
  return halfLifeMs === undefined ? weight : weight * exponential((-row.ageMs / halfLifeMs) * ln2);
}

const ln2 = 0.6931471805599453;

/** Keeps this share of all identities. A larger share keeps the same ones and more. */
export function isKept(identity: string | number, share: number): boolean {
  return hashOf(String(identity)) < share * 2 ** 32;
}

/** FNV-1a over UTF-16 code units, and MurmurHash3's last step, which spreads the last units over all 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
