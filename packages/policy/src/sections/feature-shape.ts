import { dayMs, minuteMs } from '@ringfence/contract';
import type { Name } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import type { Feature, Ratio } from '../policy.ts';
import { featureKinds } from './feature-kinds.ts';
import { featureMembers } from './feature-members.ts';

export const featureBounds = {
  /** Each is computed for each event; at 1 µs apiece the engine would still process 5,000 events/s. */
  features: 200,
  /** Facts that identify an entity. */
  by: 4,
  overMsMin: minuteMs,
  /** A quarter: use a profile for longer habits, because memory grows with the window. */
  overMsMax: 90 * dayMs,
} as const;

/** A feature, and the names that conditions use for it. */
export interface ReadFeature {
  /** Its own name first; for a profile, also its deviation's. */
  readonly names: readonly [Name, ...Name[]];
  readonly keyItem: Item;
  /** Its part of the policy: exactly one of the two is set. */
  readonly feature?: Feature;
  /** The most steps that its `where` costs. */
  readonly whereCost?: number;
  readonly ratio?: Ratio;
}

export const fieldNames = [...featureKinds, ...featureMembers.map(({ name }) => name)] as const;

export type FeatureFields = Partial<Record<(typeof fieldNames)[number], Item>>;
