import type { Usable } from '../../store/entities/clock-cache.ts';
import type { BucketTail } from '../tail/bucket-tail.ts';
import type { CountsTail } from '../tail/counts-tail.ts';
import type { DistinctTail } from '../tail/distinct-tail.ts';
import type { FraudTimes } from './fraud-times.ts';
import type { Layout } from './layout.ts';
import type { ObjectWindow } from '../window/moving-window.ts';
import type { Profiles } from '../window/profile.ts';

const nothing: readonly never[] = [];

/** What a feature entity keeps outside its block (its overflow). Only crowded entities need it. */
export class Extras implements Usable {
  /** Layout of its entity. */
  readonly layout: Layout | undefined;
  /** The group that owns it, and its index there. */
  group: { putAway(extras: Extras): void } | undefined;
  place = 0;
  touched = false;
  /** Bigint values of wide columns: by column, then by row. */
  wide: readonly (bigint[] | undefined)[] = nothing;
  /** Merged buckets of old rows beyond the bound. */
  tails: readonly BucketTail[] = nothing;
  /** By feature. */
  distinctTails: readonly (DistinctTail | undefined)[] = nothing;
  /** Merged buckets of old rows beyond the bound, for features of values and spreads. */
  countTails: readonly CountsTail[] = nothing;
  /** By feature. */
  profiles: readonly (Profiles | undefined)[] = nothing;
  /** By feature. */
  fraudTimes: readonly (FraudTimes | undefined)[] = nothing;
  /** Moving windows that are objects, by feature; created once rows are many. Not part of the state. */
  objectWindows: (ObjectWindow | undefined)[] | undefined;

  constructor(layout: Layout | undefined) {
    this.layout = layout;
  }
}

/** Shared empty overflow for entities without one. */
export const noExtras: Readonly<Extras> = new Extras(undefined);
