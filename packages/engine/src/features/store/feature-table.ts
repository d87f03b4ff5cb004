import { assert, type ByteReader, type ByteWriter } from '@ringfence/contract';
import { clientPaths, type Feature, type KeptKind } from '@ringfence/policy';
import { type KeyPart, partOfKey } from '../../store/memory/key-text.ts';
import type { SubjectId } from '../../record.ts';
import { type EntityBounds, type Layout, layoutOf, type LayoutPart } from './layout.ts';
import { isOfBefore, type PlacedFeature } from '../read-feature.ts';
import type { ColumnKind } from './row-shape.ts';
import { columnKindOf } from '../window/ticks.ts';

/** The features of one policy with the same `by`, and where they are kept. */
export interface PlacedGroup {
  readonly number: number;
  /** The facts of the entity's key, sorted by path. */
  readonly by: readonly { readonly path: string; readonly slot: number }[];
  readonly layout: Layout;
  readonly features: readonly PlacedFeature[];
}

/**
 * The lifetime of a feature, from the activation that brings it to the one that drops it. A feature that returns
 * begins a new life, empty.
 */
interface Life {
  readonly instance: number;
  /** Since when it counts: its activation, or the beginning of its history. */
  readonly activatedAtMs: number;
  /** Suffix of its group's name: features that began with history have separate groups. "" for none. */
  readonly mark: string;
}

/** Features that begin with history: since when, and the suffix of their groups' names. */
export interface Begun {
  readonly sinceMs: number;
  readonly mark: string;
}

/** Represents every name of the client, so that features by any of them share an entity. */
export const subjectPath = 'client.id';

/** All layouts that an entity may have, and the features that are alive. Part of the state. */
export class FeatureTable {
  readonly #bounds: EntityBounds | undefined;
  readonly #groups: string[] = [];
  /** For each group requested so far, the position of the client in its keys; -1 for none. */
  readonly #subjectParts: KeyPart[] = [];
  readonly #layouts: Layout[] = [];
  #lives = new Map<string, Life>();
  #instances = 0;

  constructor(bounds?: EntityBounds) {
    this.#bounds = bounds;
  }

  /** Features with a known fingerprint continue, new ones begin, and all others end. */
  activate(features: readonly Feature[], atMs: number, begun?: Begun): void {
    const lives = new Map<string, Life>();
    const { sinceMs: activatedAtMs, mark } = begun ?? { sinceMs: atMs, mark: '' };
    for (const { fingerprint } of features) {
      const life = lives.get(fingerprint) ?? this.#lives.get(fingerprint);
      lives.set(fingerprint, life ?? { instance: this.#instances++, activatedAtMs, mark });
    }
    this.#lives = lives;
  }

  /** Features that are not alive: they begin when a policy with them is activated. */
  unknownOf(features: readonly Feature[]): readonly Feature[] {
    return features.filter(({ fingerprint }) => !this.#lives.has(fingerprint));
  }

  /** Since when a feature of the active policy counts, ms. */
  activatedAtMs(feature: Feature): number {
    return this.#lifeOf(feature).activatedAtMs;
  }

  /** Assigns the features of the active policy to their groups and columns. Creates missing layouts. */
  place(features: readonly Feature[]): readonly PlacedGroup[] {
    const byGroup = Map.groupBy(features, (feature) => groupNameOf(feature, this.#lifeOf(feature).mark));
    return [...byGroup].map(([name, members]) => this.#placeGroup(this.#groupNumber(name), members));
  }

  /** The client that an entity belongs to, read from its key; `undefined` if the key contains none. */
  subjectOf(group: number, key: string): SubjectId | undefined {
    const part = this.subjectPart(group);
    return part === undefined ? undefined : partOfKey(key, part);
  }

  /** The position of the client in the keys of a group; `undefined` if they contain none. */
  subjectPart(group: number): KeyPart | undefined {
    let part = this.#subjectParts[group];
    if (part === undefined) {
      const paths = pathsOf(this.#groups[group]!);
      part = this.#subjectParts[group] = { place: paths.indexOf(subjectPath), count: paths.length };
    }
    return part.place < 0 ? undefined : part;
  }

  /** The numbers of groups with this mark, by their name without it. */
  marked(mark: string): ReadonlyMap<string, number> {
    const numbers = this.#groups.flatMap((name, number) =>
      name.endsWith(mark) ? [[name.slice(0, -mark.length), number] as const] : [],
    );
    return new Map(numbers);
  }

  /** The number of the group with this name; `undefined` if there is none. */
  groupNamed(name: string): number | undefined {
    const number = this.#groups.indexOf(name);
    return number < 0 ? undefined : number;
  }

  /** The newest layout of a group: that of the policy in force. */
  layoutOf(group: number): Layout {
    const layout = this.#layouts.findLast((one) => one.group === group);
    assert(layout !== undefined, 'the group has no layout');
    return layout;
  }

  layout(id: number): Layout {
    const layout = this.#layouts[id];
    assert(layout !== undefined, 'no layout has this id');
    return layout;
  }

  write(writer: ByteWriter): void {
    writer.uint(this.#instances);
    writer.uint(this.#lives.size);
    for (const [fingerprint, { instance, activatedAtMs, mark }] of this.#lives) {
      writer.text(fingerprint);
      writer.uint(instance);
      writer.int(activatedAtMs);
      writer.text(mark);
    }
    writer.uint(this.#groups.length);
    for (const group of this.#groups) writer.text(group);
    writer.uint(this.#layouts.length);
    for (const layout of this.#layouts) writeLayout(writer, layout);
  }

  static read(reader: ByteReader, bounds: EntityBounds | undefined): FeatureTable {
    const table = new FeatureTable(bounds);
    table.#instances = reader.uint();
    const lives = reader.uint();
    for (let count = 0; count < lives; count++) {
      const fingerprint = reader.text();
      table.#lives.set(fingerprint, { instance: reader.uint(), activatedAtMs: reader.int(), mark: reader.text() });
    }
    const groups = reader.uint();
    for (let count = 0; count < groups; count++) table.#groups.push(reader.text());
    const layouts = reader.uint();
    for (let id = 0; id < layouts; id++) table.#layouts.push(readLayout(reader, id, bounds));
    return table;
  }

  #placeGroup(number: number, members: readonly Feature[]): PlacedGroup {
    const kept = [...new Map(members.map((feature) => [this.#lifeOf(feature).instance, feature]))].toSorted(
      ([instance], [other]) => instance - other,
    );
    const columns = new ColumnList();
    const parts = kept.map(([instance, feature]) => ({
      instance,
      kind: feature.keeps,
      overMs: feature.overMs ?? 0,
      halfLifeMs: feature.halfLifeMs ?? 0,
      column: columns.ofFeature(feature),
      currency: columns.ofCurrency(feature),
    }));
    const layout = this.#layoutFor(number, parts, columns.kinds);
    const features = members.map((feature) => {
      const index = kept.findIndex(([instance]) => instance === this.#lifeOf(feature).instance);
      return {
        feature,
        index,
        column: layout.columns[layout.features[index]!.column],
        isOfBefore: isOfBefore(feature),
        isOfSubject: clientPaths.has(feature.of ?? ''),
      };
    });
    return { number, by: sortedBy(members[0]!), layout, features };
  }

  #layoutFor(group: number, parts: readonly LayoutPart[], columns: readonly ColumnKind[]): Layout {
    const id = this.#layouts.length;
    const bounds = this.#bounds === undefined ? {} : { bounds: this.#bounds };
    const layout = layoutOf({ id, group, ...bounds }, parts, columns);
    const known = this.#layouts.findLast((other) => sameLayout(other, layout));
    if (known === undefined) this.#layouts.push(layout);
    return known ?? layout;
  }

  #groupNumber(name: string): number {
    const known = this.#groups.indexOf(name);
    return known >= 0 ? known : this.#groups.push(name) - 1;
  }

  #lifeOf({ fingerprint }: Feature): Life {
    const life = this.#lives.get(fingerprint);
    assert(life !== undefined, 'the feature is not in the active policy');
    return life;
  }
}

function sortedBy(feature: Feature): readonly { readonly path: string; readonly slot: number }[] {
  return feature.by
    .map((path, index) => ({ path: clientPaths.has(path) ? subjectPath : path, slot: feature.bySlots[index]! }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function groupNameOf(feature: Feature, mark: string): string {
  const paths = sortedBy(feature).map(({ path }) => path);
  return `${paths.join(' ')}${mark}`;
}

/** The facts in the name of a group; a mark follows them. */
function pathsOf(name: string): readonly string[] {
  return name.split(' ').filter((path) => !path.startsWith('#'));
}

/** Columns in the order of their first use; features about the same fact share one. */
class ColumnList {
  readonly kinds: ColumnKind[] = [];
  readonly #places = new Map<string, number>();

  ofFeature({ keeps, ofSlot, ofType }: Feature): number {
    if (ofSlot === undefined || ofType === undefined || keeps === 'profile') return -1;
    return this.#place(ofSlot, keeps === 'distinct' || keeps === 'values' ? 'text' : columnKindOf(ofType));
  }

  ofCurrency({ keeps, currencySlot }: Feature): number {
    return currencySlot === undefined || keeps === 'profile' ? -1 : this.#place(currencySlot, 'text');
  }

  #place(slot: number, kind: ColumnKind): number {
    const name = `${slot} ${kind}`;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.kinds.push(kind) - 1;
    this.#places.set(name, place);
    return place;
  }
}

function sameLayout(one: Layout, other: Layout): boolean {
  return (
    one.group === other.group &&
    one.columns.join() === other.columns.join() &&
    one.features.length === other.features.length &&
    one.features.every((feature, index) => samePart(feature, other.features[index]!))
  );
}

function samePart(one: LayoutPart, other: LayoutPart): boolean {
  return one.instance === other.instance && one.column === other.column && one.currency === other.currency;
}

const columnKinds: readonly ColumnKind[] = ['int', 'decimal', 'double', 'text'];
const keptKinds: readonly KeptKind[] = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'distinct',
  'firstSeen',
  'lastSeen',
  'stddev',
  'spread',
  'values',
  'previous',
  'profile',
  'fraudShare',
];

function writeLayout(writer: ByteWriter, layout: Layout): void {
  writer.uint(layout.group);
  writer.uint(layout.columns.length);
  for (const kind of layout.columns) writer.uint(columnKinds.indexOf(kind));
  writer.uint(layout.features.length);
  for (const { instance, kind, overMs, halfLifeMs, column, currency } of layout.features) {
    writer.uint(instance);
    writer.uint(keptKinds.indexOf(kind));
    writer.uint(overMs);
    writer.uint(halfLifeMs);
    writer.int(column);
    writer.int(currency);
  }
}

function readLayout(reader: ByteReader, id: number, bounds: EntityBounds | undefined): Layout {
  const group = reader.uint();
  const columns = reader.list(() => columnKinds[reader.uint()]!);
  const parts = reader.list(() => ({
    instance: reader.uint(),
    kind: keptKinds[reader.uint()]!,
    overMs: reader.uint(),
    halfLifeMs: reader.uint(),
    column: reader.int(),
    currency: reader.int(),
  }));
  return layoutOf({ id, group, ...(bounds === undefined ? {} : { bounds }) }, parts, columns);
}
