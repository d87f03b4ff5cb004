import { dayMs, minuteMs } from '@ringfence/contract';
import type { Name } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import type { Feature, Ratio } from '../policy.ts';
import { featureKinds } from './feature-kinds.ts';
import { featureMembers } from './feature-members.ts';

export const featureBounds = {
  /** Each is computed for each event; at 1 µs apiece the engine would still take 5,000 events/s. */
  features: 200,
  /** Facts that name an entity. */
  by: 4,
  overMsMin: minuteMs,
  /** A quarter: longer habits are profiles, and memory grows with the window. */
  overMsMax: 90 * dayMs,
} as const;

/** A feature, and what it may be called in conditions. */
export interface ReadFeature {
  /** Its own name first; of a profile its deviation's too. */
  readonly names: readonly [Name, ...Name[]];
  readonly keyItem: Item;
  /** What the policy has of it: one of the two. */
  readonly feature?: Feature;
  /** Steps that its `where` takes at most. */
  readonly whereCost?: number;
  readonly ratio?: Ratio;
}

export const fieldNames = [...featureKinds, ...featureMembers.map(({ name }) => name)] as const;

export type FeatureFields = Partial<Record<(typeof fieldNames)[number], Item>>;
