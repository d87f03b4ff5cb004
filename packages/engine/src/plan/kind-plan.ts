import type { Model, ModelRun, Ratio, SharedConditions } from '@ringfence/policy';
import type { FactReader } from '../facts/wire-facts.ts';
import type { HoldReader } from '../holds/hold-facts.ts';
import type { PlannedGroup } from './planned-group.ts';
import type { PlannedRules } from './planned-rules.ts';

/** A policy prepared for one kind of event. */
export interface KindPlan {
  /** The facts that the policy reads and that this kind of event can have. */
  readonly readers: readonly { readonly slot: number; readonly read: FactReader }[];
  /** The facts about holds that it reads, filled in right before its rules. */
  readonly holdReaders: readonly { readonly slot: number; readonly read: HoldReader }[];
  /** Rules that are not off, in evaluation order. */
  readonly groups: readonly PlannedRules[];
  readonly shared: SharedConditions;
  /** Groups of features that this kind of event uses, by place; `undefined` for others. */
  readonly planned: readonly (PlannedGroup | undefined)[];
  /** Ratios that a rule for this kind of event reads. */
  readonly ratios: readonly Ratio[];
  /** Models whose results a rule for this kind of event reads. */
  readonly models: readonly ModelRun[];
  /** Those of them that have a control share. */
  readonly controlled: readonly Model[];
}
