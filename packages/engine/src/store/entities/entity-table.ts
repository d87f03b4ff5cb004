import { ByteWriter } from '@ringfence/contract';
import type { Arena } from '../memory/arena.ts';
import type { HashKey } from '../memory/half-sip-hash.ts';
import { KeyTable, type Names } from '../memory/key-table.ts';
import { KeyText } from '../memory/key-text.ts';
import { EvictionFilter } from '../memory/eviction-filter.ts';
import { ChangedList, type Marks } from './changed-list.ts';
import type { Evictable, Leaving } from './eviction.ts';
import { InUse, type Usable } from './clock-cache.ts';
import { PackedEntities } from './packed-entities.ts';

/** An entity that is an object while it is in use. */
export interface ListedEntity extends Usable {
  changedIn: number;
  changedPlace: number;
  /** The hash of its name, and its index among the objects of its table, while it is one of them. */
  nameHash: number;
  place: number;
}

/** The type of a table's entities. */
export interface EntityKind<E> {
  nameOf(entity: E): string;
  begin(name: string): E;
  /** Writes what a checkpoint stores about it; nothing if it no longer exists. */
  write(writer: ByteWriter, entity: E): void;
  /** @throws InvariantError for a snapshot that was damaged */
  read(snapshot: Uint8Array, name: string): E;
}

/** An entity in memory: an object while it is in use, else the block of its packed form. */
type Kept<E> = E | number;

/** Receives a captured entity; the snapshot is `undefined` if it no longer exists. */
export type Capture = (name: string, snapshot: Uint8Array | undefined) => void;

export interface EntityTableOptions {
  readonly arena: Arena;
  readonly hashKey: HashKey;
  /** Whether memory initially contains everything that exists. */
  readonly isWhole: boolean;
  /** Maximum number of objects; entities beyond it are packed when they are not in use. */
  readonly inUseMax: number;
}

/**
 * The entities of one kind that are in memory, by name, and those known to be absent. Entities in use are objects, few
 * enough for the garbage collector and the processor's cache; all others are packed bytes. One hash table indexes
 * both: a positive number is the block of a packed entity, a negative one the negated index of an object.
 */
export class EntityTable<E extends ListedEntity> implements Names, Marks<Kept<E>>, Evictable {
  readonly #kind: EntityKind<E>;
  readonly #table = new KeyTable();
  /** By index; index 0 is unused. */
  readonly #objects: (E | undefined)[] = [undefined];
  readonly #freePlaces: number[] = [];
  readonly #inUse: InUse<E>;
  readonly #packed: PackedEntities;
  /** Names of entities that were evicted. */
  readonly #left: EvictionFilter;
  /** The name being looked up, in both forms, and a shared writer. */
  #name = '';
  readonly #key: KeyText;
  readonly #writer = new ByteWriter();
  readonly changed: ChangedList<Kept<E>> = new ChangedList<Kept<E>>(this);

  constructor(kind: EntityKind<E>, { arena, hashKey, isWhole, inUseMax }: EntityTableOptions) {
    this.#kind = kind;
    this.#left = new EvictionFilter(isWhole);
    this.#packed = new PackedEntities(arena);
    this.#inUse = new InUse(
      inUseMax,
      ({ nameHash }) => nameHash,
      (entity) => {
        // It may have been evicted, or removed and created again, since.
        if (this.#objects[entity.place] === entity) this.#pack(entity);
      },
    );
    this.#key = new KeyText(hashKey);
  }

  get size(): number {
    return this.#table.count;
  }

  /** Number of entities that are objects. */
  get objectCount(): number {
    return this.#objects.length - 1 - this.#freePlaces.length;
  }

  /** Whether everything that exists is here. */
  get complete(): boolean {
    return this.#left.areNone;
  }

  /** `null` is known to be absent, `undefined` unknown. */
  find(name: string): E | null | undefined {
    const kept = this.#find(name);
    if (kept < 0) return this.#touched(kept);
    if (kept > 0) return this.#packed.isAbsent(kept) ? null : this.#unpack(kept);
    return this.#left.isAbsent(this.#key.hash) ? null : undefined;
  }

  /** The entity of this name; creates it if it is not in memory. */
  findOrMake(name: string): E {
    const kept = this.#find(name);
    if (kept < 0) return this.#touched(kept);
    if (kept > 0 && !this.#packed.isAbsent(kept)) return this.#unpack(kept);
    const entity = this.#kind.begin(name);
    if (kept > 0) this.#replace(kept, entity);
    else this.#add(entity);
    return entity;
  }

  /**
   * Replaces the entity of this name. It is packed immediately, because it is written more often than read. No code
   * may hold the previous one.
   */
  put(entity: E, generation: number): void {
    const kept = this.#find(this.#kind.nameOf(entity));
    const before = kept < 0 ? this.#pack(this.#objects[-kept]!) : kept;
    if (before === 0) {
      const block = this.#packedOf(entity);
      this.#table.add(this.#key.hash, block);
      this.changed.change(block, generation);
      return;
    }
    this.changed.change(before, generation);
    entity.changedIn = this.#packed.changedIn(before);
    entity.changedPlace = this.#packed.placeOf(before);
    const block = this.#packedOf(entity);
    this.#table.replace(this.#key.hash, before, block);
    this.changed.rename(before, block);
    this.#packed.release(before);
  }

  /** Adds the stored state of an unknown entity; an entity in memory stays unchanged. */
  supply(name: string, snapshot: Uint8Array | undefined): void {
    if (this.#find(name) !== 0) return;
    if (snapshot === undefined) this.#table.add(this.#key.hash, this.#packed.pack(this.#key, nothing));
    else this.#add(this.#kind.read(snapshot, name));
  }

  /** Deletes the entity. */
  remove(name: string): void {
    const kept = this.#find(name);
    if (kept === 0) return;
    this.changed.remove(kept < 0 ? this.#objects[-kept]! : kept);
    this.#drop(kept);
  }

  /** Names of entities whose snapshots begin with these bytes: scans all that are in memory. */
  namesBeginning(prefix: Uint8Array): readonly string[] {
    const begins = (kept: number): boolean => {
      if (kept > 0) return this.#packed.beginsWith(kept, prefix);
      this.#kind.write(this.#writer, this.#objects[-kept]!);
      return this.#writer.lend((bytes) => startsWith(bytes, prefix));
    };
    return this.#table.where(begins).map((kept) => this.#nameOf(kept));
  }

  /** Packs what is not in use. No code may hold an entity. */
  rest(): void {
    this.#inUse.rest();
  }

  beginCapture(capture: Capture): void {
    this.changed.begin((kept) => {
      const [name, snapshot] = this.#stored(kept);
      capture(name, snapshot);
    });
  }

  /** Names and snapshots of all entities in memory. */
  *snapshots(): Generator<readonly [name: string, snapshot: Uint8Array]> {
    for (const kept of this.#table.blocks()) {
      const [name, snapshot] = this.#stored(kept < 0 ? this.#objects[-kept]! : kept);
      if (snapshot !== undefined) yield [name, snapshot];
    }
  }

  changedIn(kept: Kept<E>): number {
    return typeof kept === 'number' ? this.#packed.changedIn(kept) : kept.changedIn;
  }

  placeOf(kept: Kept<E>): number {
    return typeof kept === 'number' ? this.#packed.placeOf(kept) : kept.changedPlace;
  }

  mark(kept: Kept<E>, changedIn: number, place: number): void {
    if (typeof kept === 'number') {
      this.#packed.mark(kept, changedIn, place);
      return;
    }
    kept.changedIn = changedIn;
    kept.changedPlace = place;
  }

  isNamed(kept: number, key: KeyText): boolean {
    return kept < 0 ? this.#nameOf(kept) === this.#name : this.#packed.isNamed(kept, key);
  }

  evictPart(part: number, { committed, isEnough }: Leaving): void {
    for (const kept of this.#table.blocksOf(part)) {
      if (isEnough()) return;
      if (this.changedIn(kept < 0 ? this.#objects[-kept]! : kept) > committed) continue;
      if (kept < 0 && this.#takeTouch(kept)) continue;
      if (kept < 0 || !this.#packed.isAbsent(kept)) this.#left.add(this.#hashOf(kept));
      this.#drop(kept);
    }
  }

  /** Returns whether the entity was touched, and clears the mark. */
  #takeTouch(kept: number): boolean {
    const entity = this.#objects[-kept]!;
    const isTouched = entity.touched;
    entity.touched = false;
    return isTouched;
  }

  #stored(kept: Kept<E>): readonly [string, Uint8Array | undefined] {
    let name: string;
    if (typeof kept === 'number') {
      name = this.#packed.nameOf(kept);
      this.#writer.bytes(this.#packed.snapshotOf(kept));
    } else {
      name = this.#kind.nameOf(kept);
      this.#kind.write(this.#writer, kept);
    }
    const snapshot = this.#writer.take();
    return [name, snapshot.length === 0 ? undefined : snapshot];
  }

  /** Table entry of this name, 0 for none. Leaves the name in `#key`. */
  #find(name: string): number {
    this.#name = name;
    this.#key.set(name);
    return this.#table.find(this.#key, this);
  }

  #nameOf(kept: number): string {
    return kept < 0 ? this.#kind.nameOf(this.#objects[-kept]!) : this.#packed.nameOf(kept);
  }

  #hashOf(kept: number): number {
    return kept < 0 ? this.#objects[-kept]!.nameHash : this.#packed.hashOf(kept);
  }

  #touched(kept: number): E {
    const entity = this.#objects[-kept]!;
    entity.touched = true;
    return entity;
  }

  /** Adds an unknown entity whose name is in `#key`. */
  #add(entity: E): void {
    this.#table.add(this.#key.hash, this.#keep(entity));
  }

  /** Stores the entity whose name is in `#key` as an object. @returns its negated index, the value for the table */
  #keep(entity: E): number {
    const place = this.#freePlaces.pop() ?? this.#objects.length;
    this.#objects[place] = entity;
    entity.place = place;
    entity.nameHash = this.#key.hash;
    this.#inUse.add(entity);
    return -place;
  }

  #unpack(block: number): E {
    const entity = this.#kind.read(this.#packed.snapshotOf(block), this.#name);
    this.#replace(block, entity);
    return entity;
  }

  /** Replaces the block of the name in `#key` by the object. */
  #replace(block: number, entity: E): void {
    entity.changedIn = this.#packed.changedIn(block);
    entity.changedPlace = this.#packed.placeOf(block);
    this.changed.rename(block, entity);
    this.#table.replace(this.#key.hash, block, this.#keep(entity));
    this.#packed.release(block);
  }

  /** Replaces the object by a block. @returns the block */
  #pack(entity: E): number {
    const { place, nameHash } = entity;
    this.#key.set(this.#kind.nameOf(entity), nameHash);
    const block = this.#packedOf(entity);
    this.changed.rename(entity, block);
    this.#table.replace(nameHash, -place, block);
    this.#dropObject(place);
    return block;
  }

  /** A block for an entity whose name is in `#key`. */
  #packedOf(entity: E): number {
    this.#kind.write(this.#writer, entity);
    const block = this.#writer.lend((bytes) => this.#packed.pack(this.#key, bytes));
    this.#packed.mark(block, entity.changedIn, entity.changedPlace);
    return block;
  }

  #drop(kept: number): void {
    this.#table.remove(this.#hashOf(kept), kept);
    if (kept < 0) this.#dropObject(-kept);
    else this.#packed.release(kept);
  }

  #dropObject(place: number): void {
    this.#objects[place] = undefined;
    this.#freePlaces.push(place);
  }
}

const nothing = new Uint8Array(0);

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, at) => bytes[at] === byte);
}
