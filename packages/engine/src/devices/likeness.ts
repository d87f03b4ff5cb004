import { components, familyCount, type Traits } from './components.ts';
import { log2 } from './log2.ts';
import type { TraitStatistics } from './trait-statistics.ts';

/** The evidence that two sets of traits belong to one device. */
export interface Likeness {
  /** Evidence in bits: each further bit doubles the likelihood. Negative values are evidence against. */
  readonly bits: number;
  /** The evidence if no trait had changed. */
  readonly bitsMax: number;
}

/** Bound on the evidence of one family in either direction, bits: its traits are correlated, not independent. */
const familyBitsMax = 6;

const said = new Float64Array(familyCount);
const possible = new Float64Array(familyCount);

/**
 * Probabilistic record linkage by Fellegi and Sunter. An equal trait counts log2(kept / shared), so rare values count
 * more than common ones. A different trait counts log2((1 - kept) / (1 - shared)), so traits that never change count
 * more.
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
