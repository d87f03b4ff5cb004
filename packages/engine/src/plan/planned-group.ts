import type { Predicate } from '@ringfence/policy';
import { type PlacedGroup, subjectPath } from '../features/store/feature-table.ts';
import { hasRows, type Layout, type LayoutFeature } from '../features/store/layout.ts';
import type { PlacedFeature } from '../features/read-feature.ts';
import { type PlannedReads, plannedReads } from '../features/window/window-scan.ts';

/** A fact that names entities; the client is represented by its subject id. */
export interface NamingFact {
  readonly slot: number;
  readonly isSubject: boolean;
}

/** A group of features, as used by one kind of event. */
export interface PlannedGroup {
  readonly number: number;
  readonly layout: Layout;
  /** The facts that name the entity. */
  readonly by: readonly NamingFact[];
  /** Whether the client is one of them. */
  readonly isOfSubject: boolean;
  /** The values that events contribute to the features below, without duplicates. */
  readonly values: readonly PlannedValue[];
  /** Features that the event may count for. */
  readonly updates: readonly PlannedUpdate[];
  /** Whether labels of such events change one of them. */
  readonly hasLabels: boolean;
  /** Features that a rule for this kind of event reads; the others are updated but not computed. */
  readonly reads: readonly PlacedFeature[];
  /** Those of `reads` that leave out the event: they are read before it is added. */
  readonly before: PlannedReads;
  /** The others, read after it is added. */
  readonly after: PlannedReads;
}

export interface PlannedValue {
  /** Slot of the fact. */
  readonly slot: number;
  /** The fact itself, its text, its subject id (if it names the client), or a currency ("" for none). */
  readonly as: 'fact' | 'text' | 'subject' | 'currency';
}

/** A feature that an event may count for. */
export interface PlannedUpdate extends Pick<PlacedFeature, 'feature' | 'index'> {
  readonly where: Predicate | undefined;
  /** Its place in the layout. */
  readonly kept: LayoutFeature;
  readonly hasRow: boolean;
  /** Indexes into the group's values; -1 if the feature reads no value, or is kept for all currencies together. */
  readonly value: number;
  readonly currency: number;
}

/**
 * Plans a group for a kind of event that counts for the features in `counted`, and whose rules read those in `reads`.
 */
export function plannedGroup(
  { number, layout, by }: PlacedGroup,
  { counted, reads }: { readonly counted: readonly PlacedFeature[]; readonly reads: readonly PlacedFeature[] },
): PlannedGroup {
  const values = new ValueList();
  const updates = oncePerPlace(counted).map(({ feature, index, column, isOfSubject }) => {
    const kept = layout.features[index]!;
    const { ofSlot, currencySlot, where } = feature;
    const as = isOfSubject ? 'subject' : column === 'text' ? 'text' : 'fact';
    return {
      feature,
      index,
      where,
      kept,
      hasRow: hasRows(kept.kind),
      value: ofSlot === undefined ? -1 : values.place({ slot: ofSlot, as }),
      currency: currencySlot === undefined ? -1 : values.place({ slot: currencySlot, as: 'currency' }),
    };
  });
  return {
    number,
    layout,
    by: by.map(({ path, slot }) => ({ slot, isSubject: path === subjectPath })),
    isOfSubject: by.some(({ path }) => path === subjectPath),
    values: values.all,
    updates,
    hasLabels: counted.some(({ feature }) => feature.keeps === 'fraudShare'),
    reads,
    before: plannedReads(
      layout,
      reads.filter(({ isOfBefore }) => isOfBefore),
    ),
    after: plannedReads(
      layout,
      reads.filter(({ isOfBefore }) => !isOfBefore),
    ),
  };
}

/** Features with the same state share a place, and an event is added there once, whatever the features are called. */
function oncePerPlace(features: readonly PlacedFeature[]): readonly PlacedFeature[] {
  return [...new Map(features.map((placed) => [placed.index, placed])).values()];
}

/** Distinct values, in the order of their first use. */
class ValueList {
  readonly all: PlannedValue[] = [];

  place(value: PlannedValue): number {
    const known = this.all.findIndex(({ slot, as }) => slot === value.slot && as === value.as);
    return known >= 0 ? known : this.all.push(value) - 1;
  }
}
