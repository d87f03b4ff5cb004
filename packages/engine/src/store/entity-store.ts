import { ClientEntity } from '../clients/client-entity.ts';
import type { FeatureEntity } from '../features/feature-entity.ts';
import { FeatureGroup, type Known, type Layouts } from '../features/feature-group.ts';
import { Arena } from '../memory/arena.ts';
import type { HashKey } from '../memory/half-sip-hash.ts';
import { HashSet } from '../memory/hash-set.ts';
import { KeyText } from '../memory/key-text.ts';
import type { SubjectId } from '../record.ts';
import { DirectoryEntity } from '../sessions/directory-entity.ts';
import { ShardedMap } from '../memory/sharded-map.ts';
import { ChangedList, type Marks } from './changed-list.ts';
import { type Evictable, Eviction } from './eviction.ts';

/** `null` is known to be absent, `undefined` unknown. */
export type Lookup<E> = E | null | undefined;

/** Entities that are objects of their own. */
export type Listed = ClientEntity | DirectoryEntity;
/** Clients, and sessions' names. */
type ListedKind = 'c' | 's';

/** A feature entity that is looked for, and what `lookFor` finds. */
export interface Sought {
  /** Its name within its group. */
  readonly key: KeyText;
  /** Whether all facts that name it are there. */
  isNamed: boolean;
  /** The client that it is kept under. */
  subject: SubjectId | undefined;
  /** Placed where the entity is present. */
  readonly look: FeatureEntity;
  known: Known;
  block: number;
}

const marks: Marks<Listed> = {
  changedIn: (entity) => entity.changedIn,
  placeOf: (entity) => entity.changedPlace,
  mark: (entity, changedIn, place) => {
    entity.changedIn = changedIn;
    entity.changedPlace = place;
  },
};

/** Takes what a checkpoint holds of an entity, as it is at the call. */
export interface Capturer {
  listed(entity: Listed): void;
  feature(group: FeatureGroup, block: number): void;
}

/**
 * The entities that are in memory, and what is known of the others.
 *
 * ```
 *   unknown ──supply──▶ resident, clean ──event──▶ changed ──checkpoint──▶ in flight ──committed──▶ clean ──evict──▶ unknown
 *           └─supply──▶ known absent ──event──▶ changed                       └──event──▶ changed
 * ```
 *
 * An entity that changed since the last committed checkpoint is never evicted: nothing but memory knows it.
 */
export class EntityStore {
  /** Whether all that is not resident is absent, but for what has left. */
  readonly #isWhole: boolean;
  /** Names of clients and directories that were let go. */
  readonly #left = new HashSet();
  readonly clients = new ShardedMap<ClientEntity | null>();
  readonly directories = new ShardedMap<DirectoryEntity | null>();
  /** The name of a feature entity that is brought in. */
  readonly key: KeyText;
  /** The name of a client or directory that may have left. */
  readonly #name: KeyText;
  readonly #groups: FeatureGroup[] = [];
  readonly #arena = new Arena();
  readonly #layouts: Layouts;
  readonly #hashKey: HashKey;
  /** Grows with every checkpoint; an entity's `changedIn` is the one it changed in last, 0 for never. */
  #generation = 1;
  #committed = 0;
  readonly #changed = new ChangedList(marks);
  readonly #eviction = new Eviction();
  /** Clients erased, with the generation, until a committed checkpoint has erased them in the database too. */
  readonly #erased = new Map<SubjectId, number>();

  constructor(of: { readonly complete: boolean; readonly hashKey: HashKey; readonly layouts: Layouts }) {
    this.#isWhole = of.complete;
    this.#hashKey = of.hashKey;
    this.key = new KeyText(of.hashKey);
    this.#name = new KeyText(of.hashKey);
    this.#layouts = of.layouts;
  }

  get size(): number {
    return this.#groups.reduce((sum, group) => sum + group.count, this.clients.size + this.directories.size);
  }

  /** Whether all that exists is resident: an unknown entity is an absent one, and nothing is asked for. */
  get complete(): boolean {
    return this.#isWhole && this.#left.size === 0 && this.#groups.every(({ left }) => left.size === 0);
  }

  get groupCount(): number {
    return this.#groups.length;
  }

  client(subject: SubjectId): Lookup<ClientEntity> {
    return this.#found(this.clients.get(subject), { kind: 'c', name: subject, subject });
  }

  directory(session: string): Lookup<DirectoryEntity> {
    return this.#found(this.directories.get(session), { kind: 's', name: session, subject: undefined });
  }

  /** A name on its way into the tables of this store. */
  newKey(): KeyText {
    return new KeyText(this.#hashKey);
  }

  /**
   * Looks for all entities that an event is about, step by step: what is waited for most is memory, and waiting for
   * several places at once takes no longer than for one. Answers whether something is known of each.
   */
  lookFor(sought: readonly Sought[]): boolean {
    for (const one of sought) one.block = one.isNamed ? one.look.group.guess(one.key.hash) : 0;
    for (const one of sought) one.block = one.look.group.confirm(one.block, one.key);
    let isKnown = true;
    for (const one of sought) {
      one.known = this.#known(one);
      if (one.known === 'present') one.look.place(one.block);
      if (one.known === 'unknown' && one.isNamed) isKnown = false;
    }
    return isKnown;
  }

  #known({ block, key, look: { group }, subject }: Sought): Known {
    if (block !== 0) return group.isAbsent(block) ? 'absent' : 'present';
    if (this.#isWhole && !group.left.has(key.hash)) return 'absent';
    return subject !== undefined && this.#erased.has(subject) ? 'absent' : 'unknown';
  }

  /**
   * The client, made where it is absent; changed in any case.
   *
   * @param known the client, where it has been found before
   */
  changeClient(subject: SubjectId, known?: ClientEntity): ClientEntity {
    let client = known ?? this.clients.get(subject);
    if (client === undefined || client === null) {
      client = new ClientEntity(subject);
      this.clients.set(subject, client);
    }
    this.change(client);
    return client;
  }

  changeDirectory(session: string): DirectoryEntity {
    let directory = this.directories.get(session);
    if (directory === undefined || directory === null) {
      directory = new DirectoryEntity(session);
      this.directories.set(session, directory);
    }
    this.change(directory);
    return directory;
  }

  group(number: number): FeatureGroup {
    while (this.#groups.length <= number) {
      this.#groups.push(new FeatureGroup({ number: this.#groups.length, arena: this.#arena, layouts: this.#layouts }));
    }
    return this.#groups[number]!;
  }

  /** To be called before the entity changes. */
  change(entity: Listed): void {
    this.#changed.change(entity, this.#generation);
  }

  /** To be called before the entity changes. */
  changeFeature({ group, block }: FeatureEntity): void {
    group.changed.change(block, this.#generation);
  }

  /** Removes what is kept under this client; the host removes what is only in the database. */
  erase(subject: SubjectId, isOf: (group: number, key: string) => boolean): void {
    this.#erased.set(subject, this.#generation);
    const client = this.clients.get(subject);
    if (client !== undefined && client !== null) this.#changed.remove(client);
    this.clients.delete(subject);
    for (const group of this.#groups) group.removeWhere((key) => isOf(group.number, key));
  }

  /** Begins to capture what changed since the last call; both that and the clients erased since then are in flight now. */
  beginCapture(capturer: Capturer): { readonly generation: number; readonly erased: readonly SubjectId[] } {
    const generation = this.#generation++;
    this.#changed.begin((entity) => capturer.listed(entity));
    for (const group of this.#groups) group.changed.begin((block) => capturer.feature(group, block));
    const erased = [...this.#erased].filter(([, since]) => since === generation).map(([subject]) => subject);
    return { generation, erased };
  }

  /** Captures at most so many entities more. Answers whether there may be others. */
  captureSome(countMax: number): boolean {
    let rest = countMax;
    for (const list of [this.#changed, ...this.#groups.map((group) => group.changed)]) {
      if (rest > 0) rest -= list.captureSome(rest);
    }
    return rest <= 0;
  }

  /** The checkpoint of this generation is in the database. */
  committed(generation: number): void {
    this.#committed = Math.max(this.#committed, generation);
    for (const [subject, since] of this.#erased) if (since <= this.#committed) this.#erased.delete(subject);
  }

  /**
   * Lets clean entities go that nobody has touched since their last turn, until at most `sizeMax` are left, or `steps`
   * parts of the tables have had their turn, or all. Returns how many went.
   */
  evict(sizeMax: number, steps: number): number {
    const before = this.size;
    if (before <= sizeMax) return 0;
    this.#eviction.run([this.#listed('s', this.directories), this.#listed('c', this.clients), ...this.#groups], {
      excess: before - sizeMax,
      steps,
      committed: this.#committed,
    });
    return before - this.size;
  }

  #listed(kind: ListedKind, entities: ShardedMap<Listed | null>): Evictable {
    return {
      evictPart: (part, excess, committed) => {
        let count = 0;
        for (const [name, entity] of entities.shard(part)) {
          if (count === excess) break;
          if (entity !== null && entity.changedIn > committed) continue;
          if (entity?.touched === true) {
            entity.touched = false;
            continue;
          }
          if (entity !== null) this.#left.add(this.#hashOf(kind, name));
          entities.delete(name);
          count++;
        }
        return count;
      },
    };
  }

  #found<E extends Listed>(
    entity: E | null | undefined,
    by: { readonly kind: ListedKind; readonly name: string; readonly subject: SubjectId | undefined },
  ): Lookup<E> {
    if (entity !== undefined) {
      if (entity !== null) entity.touched = true;
      return entity;
    }
    if (this.#isWhole && !this.#hasLeft(by.kind, by.name)) return null;
    return by.subject !== undefined && this.#erased.has(by.subject) ? null : undefined;
  }

  #hasLeft(kind: ListedKind, name: string): boolean {
    return this.#left.size > 0 && this.#left.has(this.#hashOf(kind, name));
  }

  #hashOf(kind: ListedKind, name: string): number {
    this.#name.set(kind + name);
    return this.#name.hash;
  }
}
