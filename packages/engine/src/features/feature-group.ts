import { type Arena, offsetMask } from '../memory/arena.ts';
import { HashSet } from '../memory/hash-set.ts';
import { KeyTable, type Names } from '../memory/key-table.ts';
import { hasPartAt, type KeyPart, type KeyText } from '../memory/key-text.ts';
import {
  absentFlag,
  changedInAt,
  changedPlaceAt,
  extrasAt,
  fixedCells,
  flagsAt,
  hashAt,
  headerCells,
  layoutShift,
  nameCells,
  nameLengthAt,
  roomAt,
  roomMin,
  roomOf,
  setLayout,
  touchedFlag,
  wideNameFlag,
} from './feature-block.ts';
import { ChangedList, type Marks } from '../store/changed-list.ts';
import type { Evictable } from '../store/eviction.ts';
import type { InUse } from '../store/in-use.ts';
import type { Extras } from './extras.ts';
import type { Layout, Layouts } from './layout.ts';
import { PackedExtras } from './packed-extras.ts';
import { ShortTexts } from './short-texts.ts';

/** What is known of an entity. */
export type Known = 'present' | 'absent' | 'unknown';

/** Where a group's entities may be found, and how the state keeps track of them. */
export interface GroupPlace {
  readonly number: number;
  readonly arena: Arena;
  readonly layouts: Layouts;
  /** Extras of all groups that are kept as objects; others are packed. */
  readonly inUse: InUse<Extras>;
}

/**
 * The entities of one group of features that are in memory, and the names of those known to be absent. An entity is a
 * block of the arena, by its name; a `FeatureEntity` is a look at one of them.
 */
export class FeatureGroup implements Names, Marks<number>, Evictable {
  /** Names of those that were let go. */
  readonly left = new HashSet();
  readonly number: number;
  readonly arena: Arena;
  readonly layouts: Layouts;
  readonly #table = new KeyTable();
  /** What does not lie in the entities' blocks: in use, or packed, named by its block. The first is none. */
  readonly #extras: (Extras | number | undefined)[] = [undefined];
  readonly #packed: PackedExtras;
  readonly #inUse: InUse<Extras>;
  readonly #freeExtras: number[] = [];
  readonly changed: ChangedList<number> = new ChangedList<number>(this);

  constructor({ number, arena, layouts, inUse }: GroupPlace) {
    this.number = number;
    this.arena = arena;
    this.layouts = layouts;
    this.#packed = new PackedExtras(arena, layouts);
    this.#inUse = inUse;
  }

  get count(): number {
    return this.#table.count;
  }

  /** Every block, those of absent names included; none must come or go meanwhile. */
  blocks(): Iterable<number> {
    return this.#table.blocks();
  }

  /** The block of this name, touched; 0 when nothing is known of it. */
  find(key: KeyText): number {
    const block = this.#table.find(key, this);
    if (block !== 0) this.arena.pageOf(block).ints[(block & offsetMask) * 2 + flagsAt]! |= touchedFlag;
    return block;
  }

  /** The block that most likely has the name with this hash; 0 for none. `confirm` tells whether it is. */
  guess(hash: number): number {
    return this.#table.guess(hash);
  }

  /** What `find` gives; `guessed` is what `guess` gave for the name's hash. */
  confirm(guessed: number, key: KeyText): number {
    if (guessed === 0) return 0;
    if (!this.isNamed(guessed, key)) return this.find(key);
    this.arena.pageOf(guessed).ints[(guessed & offsetMask) * 2 + flagsAt]! |= touchedFlag;
    return guessed;
  }

  isAbsent(block: number): boolean {
    return (this.arena.pageOf(block).ints[(block & offsetMask) * 2 + flagsAt]! & absentFlag) !== 0;
  }

  isNamed(block: number, key: KeyText): boolean {
    const page = this.arena.pageOf(block);
    const offset = block & offsetMask;
    const at = offset * 2;
    if (page.ints[at + nameLengthAt] !== key.length) return false;
    const isWide = (page.ints[at + flagsAt]! & wideNameFlag) !== 0;
    return isWide === key.isWide && key.isAt(page, offset + headerCells);
  }

  /** Notes that nobody of this name exists. Something must not be known of it yet. */
  addAbsent(key: KeyText): void {
    this.#table.add(key.hash, this.#writeName(key, headerCells + key.cells, absentFlag));
  }

  /** Makes a block for an entity of this name; scalars, totals and head are yet to be set. Absent until now, or unknown. */
  create(key: KeyText, layout: Layout): number {
    const absent = this.#table.find(key, this);
    const fixed = fixedCells(layout, key.cells);
    const block = this.#writeName(key, fixed + roomMin * layout.stride, 0);
    const { ints } = this.arena.pageOf(block);
    const at = (block & offsetMask) * 2;
    setLayout(ints, at, layout);
    ints[at + roomAt] = roomOf(fixed, roomMin, layout);
    if (absent === 0) this.#table.add(key.hash, block);
    else {
      this.#table.replace(key.hash, absent, block);
      this.arena.release(absent, headerCells + key.cells);
    }
    return block;
  }

  /** The entity moves to another block, header and name included. Who moves it releases the former one. */
  moved(hash: number, from: number, to: number): void {
    this.#table.replace(hash, from, to);
    this.changed.rename(from, to);
  }

  changedIn(block: number): number {
    return this.arena.pageOf(block).ints[(block & offsetMask) * 2 + changedInAt]!;
  }

  placeOf(block: number): number {
    return this.arena.pageOf(block).ints[(block & offsetMask) * 2 + changedPlaceAt]!;
  }

  mark(block: number, changedIn: number, place: number): void {
    const { ints } = this.arena.pageOf(block);
    const at = (block & offsetMask) * 2;
    ints[at + changedInAt] = changedIn;
    ints[at + changedPlaceAt] = place;
  }

  evictPart(part: number, excess: number, committed: number): number {
    const leaving: number[] = [];
    for (const block of this.#table.blocksOf(part)) {
      if (leaving.length === excess) break;
      const { ints } = this.arena.pageOf(block);
      const at = (block & offsetMask) * 2;
      if (ints[at + changedInAt]! > committed) continue;
      if ((ints[at + flagsAt]! & touchedFlag) === 0) leaving.push(block);
      else ints[at + flagsAt]! &= ~touchedFlag;
    }
    for (const block of leaving) {
      if (!this.isAbsent(block)) this.left.add(this.arena.pageOf(block).ints[(block & offsetMask) * 2 + hashAt]!);
      this.#remove(block);
    }
    return leaving.length;
  }

  /** Removes the entities, and absent names, in whose key this part is this text. `key` is written to. */
  removeOf(text: string, { place, count }: KeyPart, key: KeyText): void {
    if (count === 1) {
      key.set(text);
      const block = this.#table.find(key, this);
      if (block !== 0) this.#remove(block);
      return;
    }
    const leaving = this.#table.where((block) => {
      const page = this.arena.pageOf(block);
      const offset = block & offsetMask;
      const isWide = (page.ints[offset * 2 + flagsAt]! & wideNameFlag) !== 0;
      return hasPartAt(page, offset + headerCells, { isWide, place, part: text });
    });
    for (const block of leaving) this.#remove(block);
  }

  extras(place: number): Extras {
    const extras = this.#extras[place]!;
    if (typeof extras === 'number') return this.#keepExtras(this.#packed.unpack(extras), place);
    extras.touched = true;
    return extras;
  }

  addExtras(extras: Extras): number {
    const place = this.#freeExtras.pop() ?? this.#extras.length;
    this.#keepExtras(extras, place);
    return place;
  }

  /** @param place as it stands in a block */
  dropExtras(place: number): void {
    if (place < 0) ShortTexts.release(this.arena, -place);
    if (place <= 0) return;
    const extras = this.#extras[place];
    if (typeof extras === 'number') this.#packed.release(extras);
    this.#extras[place] = undefined;
    this.#freeExtras.push(place);
  }

  /** Packs extras that are not in use. No look may be used until it is placed again. */
  putAway(extras: Extras): void {
    // They may have been dropped since they were in use.
    if (this.#extras[extras.place] !== extras) return;
    const block = this.#packed.pack(extras);
    if (block !== undefined) this.#extras[extras.place] = block;
  }

  release(block: number, cells: number): void {
    this.arena.release(block, cells);
  }

  #keepExtras(extras: Extras, place: number): Extras {
    extras.group = this;
    extras.place = place;
    this.#extras[place] = extras;
    this.#inUse.add(extras);
    return extras;
  }

  #remove(block: number): void {
    const page = this.arena.pageOf(block);
    const { ints } = page;
    const at = (block & offsetMask) * 2;
    this.#table.remove(ints[at + hashAt]!, block);
    this.changed.remove(block);
    const name = nameCells(page, block);
    if (this.isAbsent(block)) {
      this.release(block, headerCells + name);
      return;
    }
    this.dropExtras(ints[at + extrasAt]!);
    const layout = this.layouts(ints[at + flagsAt]! >>> layoutShift);
    this.release(block, fixedCells(layout, name) + ints[at + roomAt]! * layout.stride);
  }

  #writeName(key: KeyText, cells: number, flags: number): number {
    const block = this.arena.allocate(cells);
    const page = this.arena.pageOf(block);
    const offset = block & offsetMask;
    const at = offset * 2;
    page.ints[at + hashAt] = key.hash;
    page.ints[at + nameLengthAt] = key.length;
    page.ints[at + flagsAt] = flags | touchedFlag | (key.isWide ? wideNameFlag : 0);
    page.ints[at + changedInAt] = 0;
    page.ints[at + changedPlaceAt] = 0;
    page.ints[at + extrasAt] = 0;
    key.writeTo(page, offset + headerCells);
    return block;
  }
}
