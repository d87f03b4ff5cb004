import type { Ratio, SharedConditions } from '@ringfence/policy';
import type { FactReader } from '../facts/wire-facts.ts';
import type { Layout } from '../features/layout.ts';
import type { PlacedFeature } from '../features/read-feature.ts';
import type { PlannedRules } from './planned-rules.ts';

/** A group of features, as one kind of event meets it. */
export interface PlannedGroup {
  readonly number: number;
  readonly layout: Layout;
  /** The facts that name the entity; of the client its subject stands for the name. */
  readonly by: readonly { readonly slot: number; readonly isSubject: boolean }[];
  /** Whether the client is among them. */
  readonly isOfSubject: boolean;
  /** Features that the event may count for. */
  readonly updates: readonly PlacedFeature[];
  /** Whether labels of such events change one of them. */
  readonly hasLabels: boolean;
  /** Features that a rule for this kind of event reads; the others are kept, and not asked for. */
  readonly reads: readonly PlacedFeature[];
}

/** A policy made ready for one kind of event. */
export interface KindPlan {
  /** The facts that the policy reads and this kind of event can have. */
  readonly readers: readonly { readonly slot: number; readonly read: FactReader }[];
  /** Rules that are not off, in the order in which they are decided. */
  readonly groups: readonly PlannedRules[];
  readonly shared: SharedConditions;
  /** Groups of features that the event meets, by place; `undefined` where it meets none. */
  readonly planned: readonly (PlannedGroup | undefined)[];
  /** Ratios that a rule for this kind of event reads. */
  readonly ratios: readonly Ratio[];
}
