import type { KeptKind } from '@ringfence/policy';
import { distinctValuesMax, exactBucketsMax, rowsMax, sweepRowsMin } from '../../limits.ts';
import { bitsPerWord, type ColumnKind, type MaskPlace, maskPlace, type RowShape, shapeOf } from './row-shape.ts';

/** One feature's place in the state of its entities. */
export interface LayoutFeature {
  /** Number of the feature's life: one fingerprint from the policy that brought it to the policy that dropped it. */
  readonly instance: number;
  readonly kind: KeptKind;
  /** Its window, ms; 0 for firstSeen, lastSeen and profile. */
  readonly overMs: number;
  /** Of a profile, ms; else 0. */
  readonly halfLifeMs: number;
  /** Column of the value that it is about; -1 for none. */
  readonly column: number;
  /** Column of the currency that its values are kept apart by; -1 for none. */
  readonly currency: number;
  /** First of its cells among the scalars; -1 for none. */
  readonly scalar: number;
  /** Which word of a row's mask says that the row counts for it, and which bit of it. */
  readonly word: number;
  readonly bit: number;
  /** Its place among the windows that lie in an entity's block; -1 for none. */
  readonly window: number;
}

/** Finds the layout of an entity by its number. */
export type Layouts = (id: number) => Layout;

/**
 * How the state of one group of features (all with the same `by`) lies in memory. A row per event: its time,
 * a mask that says for which features it counts, and the values that they are about. Features share rows, so that a
 * client's ten features over the same operations cost one row each, not ten entries.
 */
export interface Layout extends MaskPlace {
  readonly id: number;
  readonly group: number;
  readonly features: readonly LayoutFeature[];
  readonly columns: readonly ColumnKind[];
  /** How many of the columns hold texts. */
  readonly textColumns: number;
  readonly narrow: RowShape;
  readonly broad: RowShape;
  /** Times that outlive rows. */
  readonly scalars: number;
  /** Totals of the columns that are no texts stand behind the scalars: by column, which of them; -1 for none. */
  readonly totalAt: readonly number[];
  readonly totals: number;
  /** How many windows lie in a block that has them. */
  readonly windows: number;
  /** The longest window, ms: rows that are older by this and `lateReachMs` count for nothing. */
  readonly reachMs: number;
  /** Whether a feature remembers for ever (firstSeen, lastSeen). */
  readonly lasting: boolean;
  readonly bounds: EntityBounds;
}

/** How much one entity keeps exactly; see limits.ts. Tests make it small to see what happens beyond. */
export interface EntityBounds {
  readonly rowsMax: number;
  readonly exactBucketsMax: number;
  readonly distinctValuesMax: number;
  readonly sweepRowsMin: number;
}

const defaultBounds: EntityBounds = { rowsMax, exactBucketsMax, distinctValuesMax, sweepRowsMin };

/** A feature before its place is known. */
export interface LayoutPart {
  readonly instance: number;
  readonly kind: KeptKind;
  readonly overMs: number;
  readonly halfLifeMs: number;
  readonly column: number;
  readonly currency: number;
}

/** Scalars that a kind needs: the first time; the last and the last forgotten time; how a crowded count is sampled. */
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

/** Kinds of which a window is a few numbers. */
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

/** Whether the kind is about the smallest or the largest value. */
export function isExtreme(kind: KeptKind): boolean {
  return kind === 'min' || kind === 'max';
}

/** Whether the kind adds a row per event; firstSeen and profile need none. */
export function hasRows(kind: KeptKind): boolean {
  return kind !== 'firstSeen' && kind !== 'profile';
}
