import type { Ratio, SharedConditions } from '@ringfence/policy';
import type { FactReader } from '../facts/wire-facts.ts';
import type { PlannedGroup } from './planned-group.ts';
import type { PlannedRules } from './planned-rules.ts';

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
