import type { Usable } from '../../store/entities/clock-cache.ts';
import type { BucketTail } from '../tail/bucket-tail.ts';
import type { CountsTail } from '../tail/counts-tail.ts';
import type { DistinctTail } from '../tail/distinct-tail.ts';
import type { FraudTimes } from './fraud-times.ts';
import type { Layout } from './layout.ts';
import type { ObjectWindow } from '../window/moving-window.ts';
import type { Profiles } from '../window/profile.ts';

const nothing: readonly never[] = [];

/** What a feature entity keeps beside its block that only crowded ones need. */
export class Extras implements Usable {
  /** Of the entity that they belong to. */
  readonly layout: Layout | undefined;
  /** Who keeps them, and where it finds them. */
  group: { putAway(extras: Extras): void } | undefined;
  place = 0;
  touched = false;
  /** Columns that became wide, by column; their values stand beside the rows, by row. */
  wide: readonly (bigint[] | undefined)[] = nothing;
  /** Merged buckets of rows that were too many. */
  tails: readonly BucketTail[] = nothing;
  /** By feature. */
  distinctTails: readonly (DistinctTail | undefined)[] = nothing;
  /** Merged buckets of the rows that were too many for values and spreads. */
  countTails: readonly CountsTail[] = nothing;
  /** By feature. */
  profiles: readonly (Profiles | undefined)[] = nothing;
  /** By feature. */
  fraudTimes: readonly (FraudTimes | undefined)[] = nothing;
  /** Windows that move, of features that are not summed up, by feature; made when rows are many. No part of the state. */
  objectWindows: (ObjectWindow | undefined)[] | undefined;

  constructor(layout: Layout | undefined) {
    this.layout = layout;
  }
}

/** Of all entities that have none of their own. */
export const noExtras: Readonly<Extras> = new Extras(undefined);
