import type { KeptKind } from '@ringfence/policy';
import { distinctValuesMax, exactBucketsMax, rowsMax, sweepRowsMin } from '../../limits.ts';
import { bitsPerWord, type ColumnKind, type MaskPlace, maskPlace, type RowShape, shapeOf } from './row-shape.ts';

/** Where one feature's state is in the entities of its group. */
export interface LayoutFeature {
  /** Number of the feature's life: from the policy that brought its fingerprint to the policy that dropped it. */
  readonly instance: number;
  readonly kind: KeptKind;
  /** Its window, ms; 0 for firstSeen, lastSeen and profile. */
  readonly overMs: number;
  /** Half-life of a profile, ms; otherwise 0. */
  readonly halfLifeMs: number;
  /** Column of the value that it reads; -1 for none. */
  readonly column: number;
  /** Column of the currency that separates its values; -1 for none. */
  readonly currency: number;
  /** Index of its first scalar; -1 for none. */
  readonly scalar: number;
  /** The word of a row's mask, and the bit in it, that mark rows counted by this feature. */
  readonly word: number;
  readonly bit: number;
  /** Index of its window in the entity's block; -1 for none. */
  readonly window: number;
}

/** Looks up a layout by its number. */
export type Layouts = (id: number) => Layout;

/**
 * The memory layout of one group of features (all with the same `by`). Each event is one row: its time, a mask of the
 * features that it counts for, and their values. Features share rows, so a client's ten features over the same
 * operations cost one row per operation, not ten entries.
 */
export interface Layout extends MaskPlace {
  readonly id: number;
  readonly group: number;
  readonly features: readonly LayoutFeature[];
  readonly columns: readonly ColumnKind[];
  /** How many of the columns contain texts. */
  readonly textColumns: number;
  readonly narrow: RowShape;
  readonly broad: RowShape;
  /** Number of scalars: values kept independently of rows. */
  readonly scalars: number;
  /** For each column its index among the totals, which follow the scalars; -1 for columns of texts. */
  readonly totalAt: readonly number[];
  readonly totals: number;
  /** Number of windows in a block that has them. */
  readonly windows: number;
  /** The longest window, ms: rows older than this plus `lateReachMs` count for nothing. */
  readonly reachMs: number;
  /** Whether a feature remembers for ever (firstSeen, lastSeen). */
  readonly lasting: boolean;
  readonly bounds: EntityBounds;
}

/** How much one entity keeps exactly; see limits.ts. Tests use small bounds to exercise what happens beyond them. */
export interface EntityBounds {
  readonly rowsMax: number;
  readonly exactBucketsMax: number;
  readonly distinctValuesMax: number;
  readonly sweepRowsMin: number;
}

const defaultBounds: EntityBounds = { rowsMax, exactBucketsMax, distinctValuesMax, sweepRowsMin };

/** A feature before its place is assigned. */
export interface LayoutPart {
  readonly instance: number;
  readonly kind: KeptKind;
  readonly overMs: number;
  readonly halfLifeMs: number;
  readonly column: number;
  readonly currency: number;
}

/**
 * Number of scalars by kind: the first time; the last time and the last forgotten one; the halvings of a distinct
 * count.
 */
export const scalarsOf: Readonly<Record<KeptKind, number>> = {
  firstSeen: 1,
  lastSeen: 2,
  distinct: 1,
  count: 0,
  sum: 0,
  avg: 0,
  min: 0,
  max: 0,
  stddev: 0,
  spread: 0,
  values: 0,
  previous: 0,
  profile: 0,
  fraudShare: 0,
};

/** Kinds whose window consists of a few numbers. */
const summedUp: ReadonlySet<KeptKind> = new Set(['count', 'sum', 'avg', 'min', 'max', 'fraudShare']);

export function layoutOf(
  place: { readonly id: number; readonly group: number; readonly bounds?: EntityBounds },
  parts: readonly LayoutPart[],
  columns: readonly ColumnKind[],
): Layout {
  let [scalars, windows] = [0, 0];
  const features = parts.map((part, index) => {
    const scalar = scalarsOf[part.kind] === 0 ? -1 : scalars;
    scalars += scalarsOf[part.kind];
    const window = summedUp.has(part.kind) ? windows++ : -1;
    return { ...part, scalar, word: Math.floor(index / bitsPerWord), bit: 1 << (index % bitsPerWord), window };
  });
  const mask = maskPlace(parts.length);
  let totals = 0;
  const totalAt = columns.map((kind) => (kind === 'text' ? -1 : totals++));
  return {
    id: place.id,
    group: place.group,
    bounds: place.bounds ?? defaultBounds,
    features,
    columns,
    textColumns: columns.length - totals,
    ...mask,
    narrow: shapeOf(columns, mask, false),
    broad: shapeOf(columns, mask, true),
    scalars,
    totalAt,
    totals,
    windows,
    reachMs: parts.reduce((reach, { overMs }) => Math.max(reach, overMs), 0),
    lasting: parts.some(({ kind }) => kind === 'firstSeen' || kind === 'lastSeen'),
  };
}

/** Whether the kind is a minimum or maximum. */
export function isExtreme(kind: KeptKind): boolean {
  return kind === 'min' || kind === 'max';
}

/** Whether the kind needs a row per event; firstSeen and profile do not. */
export function hasRows(kind: KeptKind): boolean {
  return kind !== 'firstSeen' && kind !== 'profile';
}
