import type { KeptKind } from '@ringfence/policy';
import { distinctValuesMax, exactBucketsMax, rowsMax, sweepRowsMin } from '../limits.ts';

/**
 * What a column of rows holds. `int`: whole numbers as they are. `decimal` and `double`: whole numbers of 10^-6.
 * `text`: the number of a text in the entity's dictionary.
 */
export type ColumnKind = 'int' | 'decimal' | 'double' | 'text';

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
}

/** Finds the layout of an entity by its number. */
export type Layouts = (id: number) => Layout;

/**
 * How the state of one group of features (all with the same `by`) lies in memory. A row of cells per event: its time,
 * a mask that says for which features it counts, and the values that they are about. Features share rows, so that a
 * client's ten features over the same operations cost one row each, not ten entries.
 */
export interface Layout {
  readonly id: number;
  readonly group: number;
  readonly features: readonly LayoutFeature[];
  readonly columns: readonly ColumnKind[];
  /** How many of the columns hold texts. */
  readonly textColumns: number;
  readonly maskWords: number;
  /** Where in a row each column stands: its cell; below 0 the 32-bit number of a text, negated. */
  readonly places: readonly number[];
  /** Cells per row. */
  readonly stride: number;
  /** Times that outlive rows. */
  readonly scalars: number;
  /** Cells before the first row. */
  readonly header: number;
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

/** Cell of a row that its mask begins with. */
export const maskCell = 1;

/** Bits of a mask word that JavaScript's 32-bit operators reach. */
const bitsPerWord = 32;

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

export function layoutOf(
  place: { readonly id: number; readonly group: number; readonly bounds?: EntityBounds },
  parts: readonly LayoutPart[],
  columns: readonly ColumnKind[],
): Layout {
  let scalars = 0;
  const features = parts.map((part, index) => {
    const scalar = scalarsOf[part.kind] === 0 ? -1 : scalars;
    scalars += scalarsOf[part.kind];
    return { ...part, scalar, word: Math.floor(index / bitsPerWord), bit: 1 << (index % bitsPerWord) };
  });
  const maskWords = Math.max(1, Math.ceil(parts.length / bitsPerWord));
  const textColumns = columns.filter((kind) => kind === 'text').length;
  return {
    id: place.id,
    group: place.group,
    bounds: place.bounds ?? defaultBounds,
    features,
    columns,
    textColumns,
    maskWords,
    ...placesIn(columns, maskWords + textColumns),
    scalars,
    header: 1 + scalars + columns.length,
    reachMs: parts.reduce((reach, { overMs }) => Math.max(reach, overMs), 0),
    lasting: parts.some(({ kind }) => kind === 'firstSeen' || kind === 'lastSeen'),
  };
}

/** Behind the time come mask and texts, two to a cell, then a cell for each number. */
function placesIn(columns: readonly ColumnKind[], ints: number): Pick<Layout, 'places' | 'stride'> {
  let text = ints - columns.filter((kind) => kind === 'text').length;
  let cell = maskCell + Math.ceil(ints / 2);
  const places = columns.map((kind) => (kind === 'text' ? -(maskCell * 2 + text++) : cell++));
  return { places, stride: cell };
}

/** Whether the kind adds a row per event; firstSeen and profile need none. */
export function hasRows(kind: KeptKind): boolean {
  return kind !== 'firstSeen' && kind !== 'profile';
}
