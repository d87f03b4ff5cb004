import { components, familyCount, type Traits } from './components.ts';
import { log2 } from './log2.ts';
import type { TraitStatistics } from './trait-statistics.ts';

/** What speaks for two sets of traits being of one device. */
export interface Likeness {
  /** Evidence in bits: one more makes it twice as likely. Below 0 it speaks against. */
  readonly bits: number;
  /** The evidence that there would be if nothing had changed. */
  readonly bitsMax: number;
}

/** What one family can say at most, either way, bits: its traits hang together, so they are no independent witnesses. */
const familyBitsMax = 6;

const said = new Float64Array(familyCount);
const possible = new Float64Array(familyCount);

/**
 * The evidence of Fellegi and Sunter: a trait that is the same counts log2(kept / shared), so a rare value counts much and
 * a common one little; one that differs counts log2((1 - kept) / (1 - shared)), so what never changes counts much.
 *
 * Source: Fellegi and Sunter, A Theory for Record Linkage, 1969; docs/decisions/0023-device-recognition.md
 */
export function likenessOf(before: Traits, now: Traits, statistics: TraitStatistics): Likeness {
  said.fill(0);
  possible.fill(0);
  for (let place = 0; place < components.length; place++) {
    const value = now[place]!;
    const earlier = before[place]!;
    if (value === 0 || earlier === 0) continue;
    const { family } = components[place]!;
    const kept = statistics.keptOf(place);
    const shared = statistics.sharedOf(place, earlier);
    const same = Math.max(0, log2(kept / shared));
    possible[family]! += same;
    said[family]! += value === earlier ? same : Math.min(0, log2((1 - kept) / (1 - shared)));
  }
  let bits = 0;
  let bitsMax = 0;
  for (let family = 0; family < familyCount; family++) {
    bits += Math.max(-familyBitsMax, Math.min(familyBitsMax, said[family]!));
    bitsMax += Math.min(familyBitsMax, possible[family]!);
  }
  return { bits, bitsMax };
}
