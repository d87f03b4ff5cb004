/**
 * Which of its client's devices a login came from:
 *
 *     the id is known and its key proved it ──▶ exact
 *     else: enough speaks for one of them ────▶ similar
 *     else ───────────────────────────────────▶ new
 *
 * It is looked for among the devices of this client and nowhere else. Two people's equal phones are then never taken for
 * one, however alike they are, and the work is bounded whatever the workspace has.
 */
import { readTraits, type Traits } from './components.ts';
import { textHash } from '../store/memory/text-hash.ts';
import type { KnownDevice } from './known-device.ts';
import { likenessOf } from './likeness.ts';
import type { TraitStatistics } from './trait-statistics.ts';

/** What a token says of the device that made it. */
export interface DeviceClaim {
  /** The id whose proof holds, and the thumbprint of the key that proved it. */
  readonly proved: { readonly id: string; readonly key: string; readonly isFresh: boolean } | undefined;
  /** An id without a proof. */
  readonly unprovedId: string | undefined;
  /** What it shows, as the door wrote it; `traits` reads it. */
  readonly shown: Shown | undefined;
}

/** Traits as text. Most devices show what they showed before: then nothing of it is read. */
export class Shown {
  readonly text: string;
  /** Tells texts apart. */
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

/** What a claim shows, read no more than is needed: of a device that shows what it showed before, nothing. */
export function traitsOf(shown: Shown | undefined, known?: KnownDevice): Traits | undefined {
  return shown !== undefined && known?.shownHash === shown.hash ? known.traits : shown?.traits;
}

export interface Recognition {
  readonly match: 'exact' | 'similar' | 'new';
  /** Of the evidence that there could be, 0 to 100; `undefined` unless the match is `similar`. */
  readonly score: number | undefined;
  /** The device as it was at its last login. */
  readonly known: KnownDevice | undefined;
  /** The id is one of this client's, and came with another key, or without one. */
  readonly isKeyOther: boolean;
}

/** Evidence that makes a device known, bits: a thousand to one. */
const bitsMin = 10;
/** Further bits for a device that says it has had another id for long. */
const otherIdBits = 8;
/** Traits of so much evidence must have come, bits: a few common ones are no likeness. */
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
