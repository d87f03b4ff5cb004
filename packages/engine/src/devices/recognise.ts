/**
 * Decides which of its client's devices a login came from:
 *
 *     known id, proved by its key ────────▶ exact
 *     else: enough evidence for a device ─▶ similar
 *     else ───────────────────────────────▶ new
 *
 * Only the devices of this client are searched. So the equal phones of two people are never confused, and the work is
 * bounded however large the workspace is.
 */
import { readTraits, type Traits } from './components.ts';
import { textHash } from '../bytes/text-hash.ts';
import type { KnownDevice } from './known-device.ts';
import { likenessOf } from './likeness.ts';
import type { TraitStatistics } from './trait-statistics.ts';

/** What a token states about the device that made it. */
export interface DeviceClaim {
  /** The id with a valid proof, and the thumbprint of the key that proved it. */
  readonly proved: { readonly id: string; readonly key: string; readonly isFresh: boolean } | undefined;
  /** An id without a proof. */
  readonly unprovedId: string | undefined;
  /** The traits, as ingest wrote them; parsed on demand. */
  readonly shown: Shown | undefined;
}

/** Traits as text. Most devices send the same traits as before, in which case the text is never parsed. */
export class Shown {
  readonly text: string;
  /** Identifies the text. */
  readonly hash: number;
  #traits: Traits | undefined;
  #isRead = false;

  constructor(text: string) {
    this.text = text;
    this.hash = textHash(text);
  }

  get traits(): Traits | undefined {
    if (!this.#isRead) {
      this.#isRead = true;
      this.#traits = readTraits(this.text);
    }
    return this.#traits;
  }
}

/** The traits of a claim. Reuses those of the known device if they are equal, and parses the text otherwise. */
export function traitsOf(shown: Shown | undefined, known?: KnownDevice): Traits | undefined {
  return shown !== undefined && known?.shownHash === shown.hash ? known.traits : shown?.traits;
}

export interface Recognition {
  readonly match: 'exact' | 'similar' | 'new';
  /** Percentage of the evidence that was possible, 0 to 100; `undefined` unless the match is `similar`. */
  readonly score: number | undefined;
  /** The device as of its last login. */
  readonly known: KnownDevice | undefined;
  /** The id belongs to this client, but came with another key or without one. */
  readonly isKeyOther: boolean;
}

/** Evidence needed for a match, bits: a thousand to one. */
const bitsMin = 10;
/** Further bits for a device whose token shows that it has had another id for some time. */
const otherIdBits = 8;
/** The traits sent must allow this much evidence, bits: a few common traits do not identify a device. */
const bitsMaxMin = 12;

export function recognise(
  devices: readonly KnownDevice[],
  claim: DeviceClaim,
  statistics: TraitStatistics,
): Recognition {
  const { proved, unprovedId } = claim;
  const ofId = devices.filter(({ provedId }) => provedId !== '' && provedId === (proved?.id ?? unprovedId));
  const isKeyOther = ofId.some(({ key }) => key !== (proved?.key ?? ''));
  const exact = ofId.find(({ key }) => key === proved?.key);
  if (exact !== undefined) return { match: 'exact', score: undefined, known: exact, isKeyOther };
  const found = claim.shown === undefined || devices.length === 0 ? undefined : mostAlike(devices, claim, statistics);
  return found === undefined
    ? { match: 'new', score: undefined, known: undefined, isKeyOther }
    : { match: 'similar', ...found, isKeyOther };
}

interface Found {
  readonly known: KnownDevice;
  readonly score: number;
}

function mostAlike(
  devices: readonly KnownDevice[],
  { proved, shown }: DeviceClaim,
  statistics: TraitStatistics,
): Found | undefined {
  const needed = bitsMin + (proved !== undefined && !proved.isFresh ? otherIdBits : 0);
  let best: Found | undefined;
  let bestBits = -Infinity;
  const traits = traitsOf(shown);
  if (traits === undefined) return undefined;
  for (const known of devices) {
    if (known.traits === undefined) continue;
    const { bits, bitsMax } = likenessOf(known.traits, traits, statistics);
    if (bits < needed || bitsMax < bitsMaxMin || bits < bestBits) continue;
    bestBits = bits;
    best = { known, score: Math.round((100 * bits) / bitsMax) };
  }
  return best;
}
