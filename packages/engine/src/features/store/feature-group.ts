import { ByteReader, ByteWriter } from '@ringfence/contract';
import { type Arena, offsetMask } from '../../store/memory/arena.ts';
import { KeyTable, type Names } from '../../store/memory/key-table.ts';
import type { KeyPart, KeyText } from '../../store/memory/key-text.ts';
import { EvictionFilter } from '../../store/memory/eviction-filter.ts';
import { formAt, hashAt, nameAt, nameNumber } from '../../store/entities/block-header.ts';
import { ChangedList } from '../../store/entities/changed-list.ts';
import type { Evictable, Leaving } from '../../store/entities/eviction.ts';
import type { InUse } from '../../store/entities/clock-cache.ts';
import { PackedEntities } from '../../store/entities/packed-entities.ts';
import type { Extras } from './overflow.ts';
import {
  extrasAt,
  fixedCells,
  headerCells,
  inUseForm,
  NameInUse,
  roomAt,
  roomMin,
  roomOf,
  textsAt,
  touchedFlag,
} from './feature-block.ts';
import type { Layout, Layouts } from './layout.ts';
import type { Scratch } from '../window/scratch.ts';
import { PackedExtras } from './packed-overflow.ts';

/** What is known about an entity. */
export type Known = 'present' | 'absent' | 'unknown';

/** The environment of a group: its number, and the parts of the store that it shares. */
export interface GroupPlace {
  readonly number: number;
  readonly arena: Arena;
  readonly layouts: Layouts;
  /** Seed of the hash of texts. */
  readonly seed: number;
  /** Whether memory initially contains everything that exists. */
  readonly isWhole: boolean;
  /** Cache of the overflow objects of all groups; those that leave it are packed. */
  readonly inUse: InUse<Extras>;
  readonly scratch: Scratch;
  readonly formOf: (group: FeatureGroup) => EntityForm;
}

/** Access to the blocks of entities in use. */
export interface EntityForm {
  /** Writes what a checkpoint stores about an entity. */
  write(writer: ByteWriter, block: number): void;
  /** Reads that into a new entity with this name, and returns its block. */
  read(reader: ByteReader, key: KeyText): number;
  /** Log time at which it equals an absent one, ms; `undefined` for never. */
  expiresAtMs(block: number): number | undefined;
  /** Releases everything that the entity occupies. */
  release(block: number): void;
}

/**
 * The entities of one group of features that are in memory, and the names of those known to be absent. Each is a block
 * of the arena. An entity in use has its rows in the block, accessed through a `FeatureEntity`. An entity at rest is a
 * third as large: its expiry time and its snapshot bytes, which are not accessed in place.
 */
export class FeatureGroup implements Names, Evictable {
  /** Names of entities that were evicted. */
  readonly left: EvictionFilter;
  readonly number: number;
  readonly arena: Arena;
  readonly layouts: Layouts;
  readonly seed: number;
  readonly scratch: Scratch;
  /**
   * Blocks of entities at rest and of absent names are positive; blocks of entities in use are negated, so that the
   * form is known without reading the block.
   */
  readonly #table = new KeyTable();
  #inUseCount = 0;
  readonly #packed: PackedEntities;
  /**
   * Overflow of entities in use, outside their blocks: an object, or the block of its packed form. Index 0 means none.
   */
  readonly #extras: (Extras | number | undefined)[] = [undefined];
  readonly #packedExtras: PackedExtras;
  readonly #extrasInUse: InUse<Extras>;
  readonly #freeExtras: number[] = [];
  readonly #writer = new ByteWriter();
  readonly #name = new NameInUse();
  readonly #form: EntityForm;
  /** The slot at which `restSome` continues in its part. */
  #restFrom = 0;
  /** Pairs since `beginMoves`: the block that was left, then the block that its entity moved to. */
  readonly #moves: number[] = [];
  #moveCount = 0;
  #notesMoves = false;
  /** Whether an entity was created since `beginMoves`. */
  #hasMade = false;
  readonly changed: ChangedList<number>;

  constructor({ number, arena, layouts, seed, isWhole, inUse, scratch, formOf }: GroupPlace) {
    this.number = number;
    this.arena = arena;
    this.layouts = layouts;
    this.seed = seed;
    this.scratch = scratch;
    this.left = new EvictionFilter(isWhole);
    this.#packed = new PackedEntities(arena);
    // The marks of changes are at the same places in a block in use.
    this.changed = new ChangedList<number>(this.#packed);
    this.#packedExtras = new PackedExtras(arena, layouts);
    this.#extrasInUse = inUse;
    this.#form = formOf(this);
  }

  get count(): number {
    return this.#table.count;
  }

  get inUseCount(): number {
    return this.#inUseCount;
  }

  /** All blocks except those of absent names; none may be added or removed meanwhile. */
  present(): readonly number[] {
    return this.#table.where((kept) => kept < 0 || !this.isAbsent(kept)).map(Math.abs);
  }

  nameOf(block: number): string {
    return this.#isInUse(block) ? this.#nameInUse(block).text : this.#packed.nameOf(block);
  }

  /**
   * Writes what a checkpoint stores about an entity.
   *
   * @returns log time at which it equals an absent one, ms; `undefined` for never
   */
  write(writer: ByteWriter, block: number): number | undefined {
    if (this.#isInUse(block)) {
      this.#form.write(writer, block);
      return this.#form.expiresAtMs(block);
    }
    const snapshot = this.#packed.snapshotOf(block);
    const reader = new ByteReader(snapshot);
    const expiresAtMs = readExpiry(reader);
    writer.bytes(snapshot.subarray(reader.at));
    return expiresAtMs;
  }

  /** The block of this name, brought into use, or that of its absence; 0 if nothing is known. */
  find(key: KeyText): number {
    return this.#found(this.#table.find(key, this), key);
  }

  /** Probably the entry of the name with this hash; 0 for none. `confirm` verifies it. */
  guess(hash: number): number {
    return this.#table.guess(hash);
  }

  /** The same as `find`; `guessed` is the result of `guess` for the name's hash. */
  confirm(guessed: number, key: KeyText): number {
    if (guessed === 0) return 0;
    return this.isNamed(guessed, key) ? this.#found(guessed, key) : this.find(key);
  }

  isAbsent(block: number): boolean {
    return this.#packed.isAbsent(block);
  }

  isNamed(kept: number, key: KeyText): boolean {
    if (kept > 0) return this.#packed.isNamed(kept, key);
    const page = this.arena.pageOf(-kept);
    const offset = -kept & offsetMask;
    return page.ints[offset * 2 + nameAt] === nameNumber(key) && key.isAt(page, offset + headerCells);
  }

  /** Records that there is no entity with this name. Nothing may be known about it yet. */
  addAbsent(key: KeyText): void {
    this.#table.add(key.hash, this.#packed.pack(key, nothing));
  }

  /** Allocates a block for a new entity; scalars, totals and head must be set afterwards. */
  create(key: KeyText, layout: Layout): number {
    const fixed = fixedCells(layout, key.cells);
    const shape = layout.narrow;
    const block = this.arena.allocate(fixed + roomMin * shape.stride);
    const page = this.arena.pageOf(block);
    const offset = block & offsetMask;
    const at = offset * 2;
    page.ints[at + hashAt] = key.hash;
    page.ints[at + nameAt] = nameNumber(key);
    page.ints[at + extrasAt] = 0;
    page.ints[at + textsAt] = 0;
    page.ints[at + roomAt] = roomOf(fixed, roomMin, shape);
    page.ints[at + formAt] = inUseForm(layout, shape);
    this.#packed.mark(block, 0, 0);
    key.writeTo(page, offset + headerCells);
    this.#putInUse(key, block);
    this.#hasMade = true;
    return block;
  }

  /** Enters the block of an entity in use. If the name has a block at rest, the caller (`#wake`) releases it. */
  #putInUse(key: KeyText, block: number): void {
    const before = this.#table.find(key, this);
    if (before === 0) this.#table.add(key.hash, -block);
    else this.#table.replace(key.hash, before, -block);
    if (before > 0 && this.isAbsent(before)) this.#packed.release(before);
    this.#inUseCount++;
  }

  /** Records that an entity has moved to another block with its header and name. The caller releases the old one. */
  moved(hash: number, from: number, to: number): void {
    this.#table.replace(hash, -from, -to);
    this.changed.rename(from, to);
    if (!this.#notesMoves) return;
    this.#moves[this.#moveCount * 2] = from;
    this.#moves[this.#moveCount++ * 2 + 1] = to;
  }

  /** Until `endMoves`, blocks found before stay usable through `movedTo`, while entities move and are created. */
  beginMoves(): void {
    this.#notesMoves = true;
    this.#moveCount = 0;
    this.#hasMade = false;
  }

  endMoves(): void {
    this.#notesMoves = false;
  }

  /** The current block of an entity that was found, present, before `beginMoves`. */
  movedTo(found: number): number {
    let block = found;
    for (let at = 0; at < this.#moveCount * 2; at += 2) if (this.#moves[at] === block) block = this.#moves[at + 1]!;
    return block;
  }

  /** The block of an entity that was absent before `beginMoves`; 0 if it still is. */
  madeAt(key: KeyText): number {
    const block = this.#hasMade ? this.find(key) : 0;
    return block === 0 || this.isAbsent(block) ? 0 : block;
  }

  /**
   * Visits some entities in use of one part, and puts those to rest that were not touched since the last visit. The
   * next call continues after them, until the whole part has been visited.
   */
  restSome(part: number, looksMax: number): { readonly looked: number; readonly isThrough: boolean } {
    const { found, next } = this.#table.someBelow0(part, this.#restFrom, looksMax);
    for (const kept of found) if (!this.#takeTouch(-kept)) this.#rest(-kept);
    this.#restFrom = next;
    return { looked: found.length, isThrough: next === 0 };
  }

  evictPart(part: number, { committed, isEnough }: Leaving): void {
    const all = this.#table.blocksOf(part);
    for (const block of all) {
      if (block < 0) continue;
      if (isEnough()) return;
      if (this.#packed.changedIn(block) <= committed) this.#leave(block);
    }
    for (const kept of all) {
      if (kept > 0) continue;
      if (isEnough()) return;
      if (this.#packed.changedIn(-kept) <= committed && !this.#takeTouch(-kept)) this.#leave(kept);
    }
  }

  /** Removes the entities and absent names whose key contains this text as this part. Overwrites `key`. */
  removeOf(text: string, { place, count }: KeyPart, key: KeyText): void {
    if (count === 1) {
      key.set(text);
      const kept = this.#table.find(key, this);
      if (kept !== 0) this.#remove(kept);
      return;
    }
    const leaving = this.#table.where((kept) =>
      kept < 0 ? this.#nameInUse(-kept).hasPart(text, place) : this.#packed.hasPart(kept, text, place),
    );
    for (const kept of leaving) this.#remove(kept);
  }

  extras(place: number): Extras {
    const extras = this.#extras[place]!;
    if (typeof extras === 'number') return this.#keepExtras(this.#packedExtras.unpack(extras), place);
    extras.touched = true;
    return extras;
  }

  addExtras(extras: Extras): number {
    const place = this.#freeExtras.pop() ?? this.#extras.length;
    this.#keepExtras(extras, place);
    return place;
  }

  dropExtras(place: number): void {
    if (place === 0) return;
    const extras = this.#extras[place];
    if (typeof extras === 'number') this.#packedExtras.release(extras);
    this.#extras[place] = undefined;
    this.#freeExtras.push(place);
  }

  /** Packs an overflow that is no longer in use. Every accessor must be placed again before its next use. */
  putAway(extras: Extras): void {
    // It may have been dropped since.
    if (this.#extras[extras.place] !== extras) return;
    const block = this.#packedExtras.pack(extras);
    if (block !== undefined) this.#extras[extras.place] = block;
  }

  release(block: number, cells: number): void {
    this.arena.release(block, cells);
  }

  #keepExtras(extras: Extras, place: number): Extras {
    extras.group = this;
    extras.place = place;
    this.#extras[place] = extras;
    this.#extrasInUse.add(extras);
    return extras;
  }

  #isInUse(block: number): boolean {
    return this.arena.pageOf(block).ints[(block & offsetMask) * 2 + formAt]! < 0;
  }

  /** Returns whether the entity was touched, and clears the mark. */
  #takeTouch(block: number): boolean {
    const { ints } = this.arena.pageOf(block);
    const at = (block & offsetMask) * 2 + formAt;
    const flags = ints[at]!;
    ints[at] = flags & ~touchedFlag;
    return (flags & touchedFlag) !== 0;
  }

  /** Completes `find` for the table entry of the name. */
  #found(kept: number, key: KeyText): number {
    if (kept > 0) return this.isAbsent(kept) ? kept : this.#wake(kept, key);
    if (kept === 0) return 0;
    this.arena.pageOf(-kept).ints[(-kept & offsetMask) * 2 + formAt]! |= touchedFlag;
    return -kept;
  }

  /** Brings an entity at rest into use. */
  #wake(block: number, key: KeyText): number {
    const reader = new ByteReader(this.#packed.snapshotOf(block));
    readExpiry(reader);
    const inUse = this.#form.read(reader, key);
    this.#follow(block, inUse);
    this.#packed.release(block);
    return inUse;
  }

  /** Puts an entity in use to rest. No accessor may point to it. */
  #rest(block: number): void {
    writeExpiry(this.#writer, this.#form.expiresAtMs(block));
    this.#form.write(this.#writer, block);
    const name = this.#nameInUse(block);
    const bytes = this.#writer.lend((written) => this.#packed.pack(name, written));
    this.#table.replace(name.hash, -block, bytes);
    this.#inUseCount--;
    this.#follow(block, bytes);
    this.#form.release(block);
  }

  #nameInUse(block: number): NameInUse {
    return this.#name.place(this.arena.pageOf(block), block);
  }

  /** Moves the marks of changes from one block to the other. */
  #follow(from: number, to: number): void {
    this.#packed.mark(to, this.#packed.changedIn(from), this.#packed.placeOf(from));
    this.changed.rename(from, to);
  }

  /** Evicts an entity. It is loaded again when it is needed. */
  #leave(kept: number): void {
    if (kept < 0 || !this.isAbsent(kept)) this.left.add(this.#packed.hashOf(Math.abs(kept)));
    this.#remove(kept);
  }

  #remove(kept: number): void {
    const block = Math.abs(kept);
    this.changed.remove(block);
    this.#table.remove(this.#packed.hashOf(block), kept);
    if (kept > 0) {
      this.#packed.release(block);
      return;
    }
    this.#inUseCount--;
    this.#form.release(block);
  }
}

const nothing = new Uint8Array(0);

function writeExpiry(writer: ByteWriter, atMs: number | undefined): void {
  writer.bool(atMs !== undefined);
  if (atMs !== undefined) writer.int(atMs);
}

function readExpiry(reader: ByteReader): number | undefined {
  return reader.bool() ? reader.int() : undefined;
}
