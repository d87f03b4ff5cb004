import type { Predicate } from '@ringfence/policy';
import { type PlacedGroup, subjectPath } from '../features/store/feature-table.ts';
import { hasRows, type Layout, type LayoutFeature } from '../features/store/layout.ts';
import type { PlacedFeature } from '../features/read-feature.ts';
import { scansOf, type WindowScan } from '../features/window/window-scan.ts';

/** A fact that names entities; of the client its subject stands for the name. */
export interface NamingFact {
  readonly slot: number;
  readonly isSubject: boolean;
}

/** A group of features, as one kind of event meets it. */
export interface PlannedGroup {
  readonly number: number;
  readonly layout: Layout;
  /** The facts that name the entity. */
  readonly by: readonly NamingFact[];
  /** Whether the client is among them. */
  readonly isOfSubject: boolean;
  /** What events bring to the features below: different values, each once. */
  readonly values: readonly PlannedValue[];
  /** Features that the event may count for. */
  readonly updates: readonly PlannedUpdate[];
  /** Whether labels of such events change one of them. */
  readonly hasLabels: boolean;
  /** Features that a rule for this kind of event reads; the others are kept, and not asked for. */
  readonly reads: readonly PlacedFeature[];
  /** Of these, what is about the time before the event. */
  readonly before: readonly PlacedFeature[];
  /** Of the others, those whose windows are looked through together, and all that are asked for one by one. */
  readonly scans: readonly WindowScan[];
  readonly after: readonly PlacedFeature[];
}

export interface PlannedValue {
  /** Where the fact stands. */
  readonly slot: number;
  /** The fact as it is, as a text that names it, or, where it names the client, its subject; of a currency "" for none. */
  readonly as: 'fact' | 'text' | 'subject' | 'currency';
}

/** A feature that an event may count for. */
export interface PlannedUpdate extends Pick<PlacedFeature, 'feature' | 'index'> {
  readonly where: Predicate | undefined;
  /** Its place in the layout. */
  readonly kept: LayoutFeature;
  readonly hasRow: boolean;
  /** Places among the group's values; -1 for a feature about nothing but the event, and for one kept for all currencies. */
  readonly value: number;
  readonly currency: number;
}

/** A group as a kind of event meets it that counts for some of its features, and of which rules read some. */
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
  const { scans, others } = scansOf(
    layout,
    reads.filter(({ isOfBefore }) => !isOfBefore),
  );
  return {
    number,
    layout,
    by: by.map(({ path, slot }) => ({ slot, isSubject: path === subjectPath })),
    isOfSubject: by.some(({ path }) => path === subjectPath),
    values: values.all,
    updates,
    hasLabels: counted.some(({ feature }) => feature.keeps === 'fraudShare'),
    reads,
    before: reads.filter(({ isOfBefore }) => isOfBefore),
    scans,
    after: others,
  };
}

/** Features that keep the same share a place, and an event is put there once, by whatever names it is read. */
function oncePerPlace(features: readonly PlacedFeature[]): readonly PlacedFeature[] {
  return [...new Map(features.map((placed) => [placed.index, placed])).values()];
}

/** Different values, in the order in which they are first asked for. */
class ValueList {
  readonly all: PlannedValue[] = [];

  place(value: PlannedValue): number {
    const known = this.all.findIndex(({ slot, as }) => slot === value.slot && as === value.as);
    return known >= 0 ? known : this.all.push(value) - 1;
  }
}
