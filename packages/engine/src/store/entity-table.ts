import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Arena } from '../memory/arena.ts';
import type { HashKey } from '../memory/half-sip-hash.ts';
import { HashSet } from '../memory/hash-set.ts';
import { KeyTable } from '../memory/key-table.ts';
import { KeyText } from '../memory/key-text.ts';
import { ChangedList, type Marks } from './changed-list.ts';
import type { Evictable, Leaving } from './eviction.ts';
import { InUse, type Usable } from './in-use.ts';
import { PackedEntities } from './packed-entities.ts';

/** An entity that is an object while it is in use. */
export interface ListedEntity extends Usable {
  changedIn: number;
  changedPlace: number;
}

/** What the entities of one table are. */
export interface EntityKind<E> {
  nameOf(entity: E): string;
  begin(name: string): E;
  /** Writes what a checkpoint stores of it; nothing when it is no more. */
  write(writer: ByteWriter, entity: E): void;
  /** @throws InvariantError for a snapshot that was damaged */
  read(snapshot: Uint8Array, name: string): E;
}

/** An entity in memory: as an object while it is in use, else packed, named by its block. */
type Kept<E> = E | number;

/** Takes what a checkpoint holds of an entity; `undefined` when it is no more. */
export type Capture = (name: string, snapshot: Uint8Array | undefined) => void;

export interface EntityTableOptions {
  readonly arena: Arena;
  readonly hashKey: HashKey;
  /** Whether all that is not here is absent, but for what has left. */
  readonly isWhole: boolean;
  /** Entities beyond this number are packed when they are not in use. */
  readonly inUseMax: number;
}

/**
 * Entities of one kind that are in memory, by name, and those known to be absent. Those in use are objects in a map that
 * is small enough for the collector and for the processor's cache; all others are bytes.
 */
export class EntityTable<E extends ListedEntity> implements Marks<Kept<E>>, Evictable {
  readonly #kind: EntityKind<E>;
  readonly #isWhole: boolean;
  readonly #objects = new Map<string, E>();
  readonly #inUse: InUse<E>;
  readonly #packed: PackedEntities;
  readonly #table = new KeyTable();
  /** Names of entities that were let go. */
  readonly #left = new HashSet();
  readonly #key: KeyText;
  readonly #writer = new ByteWriter();
  readonly changed: ChangedList<Kept<E>> = new ChangedList<Kept<E>>(this);

  constructor(kind: EntityKind<E>, { arena, hashKey, isWhole, inUseMax }: EntityTableOptions) {
    this.#kind = kind;
    this.#isWhole = isWhole;
    this.#packed = new PackedEntities(arena);
    this.#inUse = new InUse(
      inUseMax,
      (entity) => this.#hashOf(this.#kind.nameOf(entity)),
      (entity) => this.#pack(entity),
    );
    this.#key = new KeyText(hashKey);
  }

  get size(): number {
    return this.#objects.size + this.#table.count;
  }

  /** How many of them are objects. */
  get objectCount(): number {
    return this.#objects.size;
  }

  /** Whether all that exists is here. */
  get complete(): boolean {
    return this.#isWhole && this.#left.size === 0;
  }

  /** `null` is known to be absent, `undefined` unknown. */
  find(name: string): E | null | undefined {
    const entity = this.#objectOf(name);
    if (entity !== undefined) return entity;
    const block = this.#blockOf(name);
    if (block !== 0) return this.#packed.isAbsent(block) ? null : this.#unpack(block, name);
    return this.#isWhole && !this.#left.has(this.#key.hash) ? null : undefined;
  }

  /** The entity of this name, a new one where none is known. */
  findOrMake(name: string): E {
    const known = this.#objectOf(name);
    if (known !== undefined) return known;
    const block = this.#blockOf(name);
    if (block !== 0 && !this.#packed.isAbsent(block)) return this.#unpack(block, name);
    const entity = this.#kind.begin(name);
    if (block !== 0) this.#leave(block, entity);
    this.#keep(entity, name);
    return entity;
  }

  /**
   * From now on the entity of its name is this one, which is packed at once: written more often than asked for. Nobody
   * may hold the one before.
   */
  put(entity: E, generation: number): void {
    const name = this.#kind.nameOf(entity);
    const object = this.#objects.size === 0 ? undefined : this.#objects.get(name);
    if (object !== undefined) this.#pack(object);
    const before = this.#blockOf(name);
    if (before !== 0) {
      this.changed.change(before, generation);
      entity.changedIn = this.#packed.changedIn(before);
      entity.changedPlace = this.#packed.placeOf(before);
      this.#drop(before);
    }
    const block = this.#addPacked(entity);
    if (before === 0) this.changed.change(block, generation);
    else this.changed.rename(before, block);
  }

  /** What is stored of an entity that nothing is known of yet; what is in memory stays as it is. */
  supply(name: string, snapshot: Uint8Array | undefined): void {
    if (this.#objects.has(name) || this.#blockOf(name) !== 0) return;
    if (snapshot === undefined) this.#table.add(this.#key.hash, this.#packed.pack(this.#key, nothing));
    else this.#keep(this.#kind.read(snapshot, name), name);
  }

  /** The entity is no more. */
  remove(name: string): void {
    const entity = this.#objects.get(name);
    if (entity !== undefined) {
      this.changed.remove(entity);
      this.#objects.delete(name);
      return;
    }
    const block = this.#blockOf(name);
    if (block === 0) return;
    this.changed.remove(block);
    this.#drop(block);
  }

  /** Names of those whose snapshots begin with these bytes: goes through all that are in memory. */
  namesBeginning(prefix: Uint8Array): readonly string[] {
    const names: string[] = [];
    for (const [name, entity] of this.#objects) {
      this.#kind.write(this.#writer, entity);
      if (this.#writer.lend((bytes) => startsWith(bytes, prefix))) names.push(name);
    }
    for (const block of this.#table.where((one) => this.#packed.beginsWith(one, prefix)))
      names.push(this.#packed.nameOf(block));
    return names;
  }

  /** Packs what is not in use. Nobody may hold an entity. */
  rest(): void {
    this.#inUse.rest();
  }

  beginCapture(capture: Capture): void {
    this.changed.begin((kept) => {
      const [name, snapshot] = this.#stored(kept);
      capture(name, snapshot);
    });
  }

  /** Names and snapshots of all that are in memory. */
  *snapshots(): Generator<readonly [name: string, snapshot: Uint8Array]> {
    for (const kept of [...this.#objects.values(), ...this.#table.blocks()]) {
      const [name, snapshot] = this.#stored(kept);
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

  evictPart(part: number, leaving: Leaving): void {
    if (part === 0) this.#evictObjects(leaving);
    for (const block of this.#table.blocksOf(part)) {
      if (leaving.isEnough()) return;
      if (this.#packed.changedIn(block) > leaving.committed) continue;
      if (!this.#packed.isAbsent(block)) this.#left.add(this.#packed.hashOf(block));
      this.#drop(block);
    }
  }

  #evictObjects({ committed, isEnough }: Leaving): void {
    for (const [name, entity] of this.#objects) {
      if (isEnough()) return;
      if (entity.changedIn > committed) continue;
      if (entity.touched) {
        entity.touched = false;
        continue;
      }
      this.#left.add(this.#hashOf(name));
      this.#objects.delete(name);
    }
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

  /** The object of this name, touched, while it is one. */
  #objectOf(name: string): E | undefined {
    const entity = this.#objects.get(name);
    if (entity !== undefined) entity.touched = true;
    return entity;
  }

  #hashOf(name: string): number {
    this.#key.set(name);
    return this.#key.hash;
  }

  /** The block of what is packed under this name, 0 for none; the name is in `#key` then. */
  #blockOf(name: string): number {
    this.#key.set(name);
    return this.#table.find(this.#key, this.#packed);
  }

  #keep(entity: E, name: string): void {
    this.#objects.set(name, entity);
    this.#inUse.add(entity);
  }

  #pack(entity: E): void {
    const name = this.#kind.nameOf(entity);
    // It may have been let go, or removed and made anew, since it was in use.
    if (this.#objects.get(name) !== entity) return;
    this.#objects.delete(name);
    this.#key.set(name);
    this.changed.rename(entity, this.#addPacked(entity));
  }

  /** Packs an entity, the name of which is in `#key`. */
  #addPacked(entity: E): number {
    this.#kind.write(this.#writer, entity);
    const block = this.#writer.lend((bytes) => this.#packed.pack(this.#key, bytes));
    this.#packed.mark(block, entity.changedIn, entity.changedPlace);
    this.#table.add(this.#key.hash, block);
    return block;
  }

  #unpack(block: number, name: string): E {
    const entity = this.#kind.read(this.#packed.snapshotOf(block), name);
    this.#leave(block, entity);
    this.#keep(entity, name);
    return entity;
  }

  /** The object takes the place of its block. */
  #leave(block: number, entity: E): void {
    entity.changedIn = this.#packed.changedIn(block);
    entity.changedPlace = this.#packed.placeOf(block);
    this.changed.rename(block, entity);
    this.#drop(block);
  }

  #drop(block: number): void {
    this.#table.remove(this.#packed.hashOf(block), block);
    this.#packed.release(block);
  }
}

const nothing = new Uint8Array(0);

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, at) => bytes[at] === byte);
}
