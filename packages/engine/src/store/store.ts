import { assert, ByteWriter, unreachable } from '@ringfence/contract';
import { beginDirectorySnapshot, decodeDirectory, decodeFeature } from './checkpoint/entity-codec.ts';
import type { ClientEntity } from '../clients/client-entity.ts';
import { FeatureEntity } from '../features/store/feature-entity.ts';
import type { Extras } from '../features/store/overflow.ts';
import { FeatureForm } from '../features/store/feature-form.ts';
import { FeatureGroup, type Known } from '../features/store/feature-group.ts';
import type { Layout, Layouts } from '../features/store/layout.ts';
import { Scratch } from '../features/window/scratch.ts';
import { Arena } from './memory/arena.ts';
import type { HashKey } from './memory/half-sip-hash.ts';
import { type KeyPart, KeyText } from './memory/key-text.ts';
import type { SubjectId } from '../record.ts';
import { DirectoryEntity, type Holder } from '../sessions/directory-entity.ts';
import { parseKey } from './entities/entity-key.ts';
import { clientKind, directoryKind } from './entities/entity-kinds.ts';
import { type Capture, EntityTable } from './entities/entity-table.ts';
import { type Evictable, Hand } from './entities/eviction.ts';
import { InUse } from './entities/clock-cache.ts';

export { decodeClient } from './checkpoint/entity-codec.ts';
export { clientKey, directoryKey, featureKey } from './entities/entity-key.ts';
export type { HashKey } from './memory/half-sip-hash.ts';
export { KeyText } from './memory/key-text.ts';

/** Objects for session names: few are needed, and rarely twice. */
const directoriesInUseMax = 256;

/** Estimated size of an entity that is an object. */
const objectBytes = 2_048;
/** Feature entities in use visited per call, and parts of their tables: more than a record brings into use. */
const looksMax = 64;
const restedPartsMax = 16;

/** `null` is known to be absent, `undefined` unknown. */
export type Lookup<E> = E | null | undefined;

/** A feature entity to look up, and the result of `lookFor`. */
export interface Sought {
  /** Its name within its group, which may be missing. */
  readonly key: KeyText;
  /** The client that it is kept under. */
  subject: SubjectId | undefined;
  /** Accessor of its group, shared by all look-ups there. */
  readonly look: FeatureEntity;
  known: Known;
  block: number;
}

export interface StoreOptions {
  readonly complete: boolean;
  readonly hashKey: HashKey;
  readonly layouts: Layouts;
  /** Entities of each kind, and overflows of feature entities, that are kept as objects; the others are packed. */
  readonly inUseMax: number;
  /** Feature entities that stay in use regardless of memory. */
  readonly featuresInUseMax: number;
  /** Memory up to which feature entities stay in use, whatever their number. */
  readonly roomyBytes: number;
}

/** Receives the state of each captured entity, as of the call. */
export interface Capturer {
  readonly client: Capture;
  readonly directory: Capture;
  feature(group: FeatureGroup, block: number): void;
}

/**
 * The entities in memory, and what is known about the others.
 *
 * ```
 *   unknown ──supply──▶ resident, clean ──event──▶ changed ──checkpoint──▶ in flight ──committed──▶ clean ──evict──▶ unknown
 *           └─supply──▶ known absent ──event──▶ changed                       └──event──▶ changed
 * ```
 *
 * An entity that changed since the last committed checkpoint is never evicted, because memory has the only copy.
 */
export class EntityStore {
  /** Whether everything that existed initially was resident. */
  readonly #isWhole: boolean;
  readonly #clients: EntityTable<ClientEntity>;
  readonly #directories: EntityTable<DirectoryEntity>;
  /** Buffer for the name of a feature entity that is supplied or removed. */
  readonly #key: KeyText;
  readonly #groups: FeatureGroup[] = [];
  readonly #arena = new Arena();
  readonly #scratch = new Scratch();
  readonly #layouts: Layouts;
  readonly #extrasInUse: InUse<Extras>;
  readonly #hashKey: HashKey;
  /** Incremented by every checkpoint; an entity's `changedIn` is the generation of its last change, 0 for never. */
  #generation = 1;
  #committed = 0;
  readonly #evicting = new Hand();
  readonly #resting = new Hand();
  readonly #featuresInUseMax: number;
  readonly #roomyBytes: number;
  /** Erased clients with the generation, until a committed checkpoint has deleted them from the database too. */
  readonly #erased = new Map<SubjectId, number>();

  constructor(of: StoreOptions) {
    this.#isWhole = of.complete;
    this.#extrasInUse = new InUse(
      of.inUseMax,
      (extras) => extras.place,
      (extras) => extras.group?.putAway(extras),
    );
    const options = { arena: this.#arena, isWhole: of.complete, ...of };
    this.#clients = new EntityTable(clientKind, options);
    this.#directories = new EntityTable(directoryKind, {
      ...options,
      inUseMax: Math.min(of.inUseMax, directoriesInUseMax),
    });
    this.#featuresInUseMax = of.featuresInUseMax;
    this.#roomyBytes = of.roomyBytes;
    this.#hashKey = of.hashKey;
    this.#key = new KeyText(of.hashKey);
    this.#layouts = of.layouts;
  }

  get size(): number {
    return this.#groups.reduce((sum, group) => sum + group.count, this.#clients.size + this.#directories.size);
  }

  /** Approximate memory of the entities. */
  get bytes(): number {
    return this.#arena.usedBytes + (this.#clients.objectCount + this.#directories.objectCount) * objectBytes;
  }

  /** Whether everything that exists is resident: unknown entities are absent, and nothing is requested. */
  get complete(): boolean {
    return this.#clients.complete && this.#directories.complete && this.#groups.every(({ left }) => left.areNone);
  }

  /** What it is made of, for tests that compare all that two states contain. */
  get tables(): {
    readonly clients: EntityTable<ClientEntity>;
    readonly directories: EntityTable<DirectoryEntity>;
    readonly groups: readonly FeatureGroup[];
  } {
    return { clients: this.#clients, directories: this.#directories, groups: this.#groups };
  }

  client(subject: SubjectId): Lookup<ClientEntity> {
    const found = this.#clients.find(subject);
    return found === undefined && this.#erased.has(subject) ? null : found;
  }

  directory(session: string): Lookup<DirectoryEntity> {
    return this.#directories.find(session);
  }

  /** A buffer for names in the tables of this store. */
  newKey(): KeyText {
    return new KeyText(this.#hashKey);
  }

  /**
   * Looks up all entities of an event in two passes, first slots, then names, so that the processor waits for several
   * cache misses at the same time. Each must be of a different group. Returns whether each is known to be present or
   * absent.
   */
  lookFor(sought: readonly Sought[]): boolean {
    for (const one of sought) one.block = one.key.isMissing ? 0 : one.look.group.guess(one.key.hash);
    let isKnown = true;
    for (const one of sought) {
      one.block = one.look.group.confirm(one.block, one.key);
      one.known = this.#known(one);
      if (one.known === 'unknown' && !one.key.isMissing) isKnown = false;
    }
    return isKnown;
  }

  #known({ block, key, look: { group }, subject }: Sought): Known {
    if (block !== 0) return group.isAbsent(block) ? 'absent' : 'present';
    if (group.left.isAbsent(key.hash)) return 'absent';
    return subject !== undefined && this.#erased.has(subject) ? 'absent' : 'unknown';
  }

  /**
   * Must be called before the client changes. Returns it, and creates it if it is absent.
   *
   * @param known the client, if it has been looked up before
   */
  changeClient(subject: SubjectId, known?: ClientEntity): ClientEntity {
    const client = known ?? this.#clients.findOrMake(subject);
    this.#clients.changed.change(client, this.#generation);
    return client;
  }

  /** Sets the client of a session's name; `undefined` for none. */
  putDirectory(session: string, holder: Holder | undefined): void {
    this.#directories.put(new DirectoryEntity(session, holder), this.#generation);
  }

  /**
   * Adds the stored state of an unknown entity, or the fact that there is none. An entity in memory stays unchanged.
   *
   * @param key as `clientKey`, `directoryKey` and `featureKey` make it
   * @throws InvariantError for bytes that were damaged, and NewerFormError for those of a newer version
   */
  supply(key: string, bytes: Uint8Array | undefined): void {
    const name = parseKey(key);
    switch (name.kind) {
      case 'client':
        this.#clients.supply(name.subject, bytes);
        break;
      case 'directory':
        this.#supplyDirectory(name.session, bytes);
        break;
      case 'feature':
        this.#supplyFeature(name, bytes);
        break;
      default:
        unreachable(name);
    }
  }

  #supplyFeature(name: { readonly group: number; readonly value: string }, bytes: Uint8Array | undefined): void {
    const key = this.#key;
    const group = this.group(name.group);
    key.set(name.value);
    if (group.find(key) !== 0) return;
    if (bytes === undefined) group.addAbsent(key);
    else decodeFeature(bytes, (id) => new FeatureEntity(group).begin(key, this.#layoutIn(group, id)));
  }

  #layoutIn({ number }: FeatureGroup, id: number): Layout {
    const layout = this.#layouts(id);
    assert(layout.group === number, 'the layout belongs to another feature group');
    return layout;
  }

  /** A session's name is treated as absent if its client was erased since. */
  #supplyDirectory(session: string, snapshot: Uint8Array | undefined): void {
    const isGone = snapshot !== undefined && this.#erased.size > 0 && this.#isOfErased(session, snapshot);
    this.#directories.supply(session, isGone ? undefined : snapshot);
  }

  #isOfErased(session: string, snapshot: Uint8Array): boolean {
    const { holder } = decodeDirectory(snapshot, session);
    return holder !== undefined && this.#erased.has(holder.subject);
  }

  group(number: number): FeatureGroup {
    while (this.#groups.length <= number) {
      const place = {
        number: this.#groups.length,
        arena: this.#arena,
        layouts: this.#layouts,
        seed: this.#hashKey[0],
        isWhole: this.#isWhole,
        inUse: this.#extrasInUse,
        scratch: this.#scratch,
        formOf: (group: FeatureGroup) => new FeatureForm(group),
      };
      this.#groups.push(new FeatureGroup(place));
    }
    return this.#groups[number]!;
  }

  /** Must be called before the entity changes. */
  changeFeature({ group, block }: FeatureEntity): void {
    group.changed.change(block, this.#generation);
  }

  /** Packs what is not in use. Must be called while no code holds an entity. */
  rest(): void {
    this.#clients.rest();
    this.#directories.rest();
    this.#extrasInUse.rest();
    if (this.bytes > this.#roomyBytes) this.#restFeatures();
  }

  #restFeatures(): void {
    let inUse = 0;
    for (const group of this.#groups) inUse += group.inUseCount;
    if (inUse <= this.#featuresInUseMax) return;
    let looks = looksMax;
    this.#resting.go(this.#groups, restedPartsMax, (group, part) => {
      const { looked, isThrough } = group.restSome(part, looks);
      looks -= looked;
      if (!isThrough) return 'again';
      return looks === 0 ? 'enough' : 'on';
    });
  }

  /** Removes everything in memory about this client; the host removes what is only in the database. */
  erase(subject: SubjectId, partOf: (group: number) => KeyPart | undefined): void {
    this.#erased.set(subject, this.#generation);
    this.#clients.remove(subject);
    const writer = new ByteWriter();
    beginDirectorySnapshot(writer, subject);
    for (const session of this.#directories.namesBeginning(writer.take())) this.putDirectory(session, undefined);
    for (const group of this.#groups) {
      const part = partOf(group.number);
      if (part !== undefined) group.removeOf(subject, part, this.#key);
    }
  }

  /**
   * Begins to capture what changed since the last call. The changed entities and the clients erased are now in flight.
   */
  beginCapture(capturer: Capturer): { readonly generation: number; readonly erased: readonly SubjectId[] } {
    const generation = this.#generation++;
    this.#clients.beginCapture(capturer.client);
    this.#directories.beginCapture(capturer.directory);
    for (const group of this.#groups) group.changed.begin((block) => capturer.feature(group, block));
    const erased = [...this.#erased].filter(([, since]) => since === generation).map(([subject]) => subject);
    return { generation, erased };
  }

  /** Captures at most `countMax` further entities. Returns whether there may be more. */
  captureSome(countMax: number): boolean {
    let rest = countMax;
    const lists = [this.#clients.changed, this.#directories.changed, ...this.#groups.map((group) => group.changed)];
    for (const list of lists) if (rest > 0) rest -= list.captureSome(rest);
    return rest <= 0;
  }

  /** Must be called when the checkpoint of this generation is stored. */
  committed(generation: number): void {
    this.#committed = Math.max(this.#committed, generation);
    for (const [subject, since] of this.#erased) if (since <= this.#committed) this.#erased.delete(subject);
  }

  /**
   * Evicts clean entities that were not touched since their last visit, until at most `bytesMax` is used, or `steps`
   * parts of the tables, or all, were visited. Returns how many were evicted.
   */
  evict(bytesMax: number, steps: number): number {
    const isEnough = (): boolean => this.bytes <= bytesMax;
    if (isEnough()) return 0;
    const before = this.size;
    const tables: readonly Evictable[] = [this.#directories, this.#clients, ...this.#groups];
    this.#evicting.go(tables, steps, (table, part) => {
      table.evictPart(part, { committed: this.#committed, isEnough });
      return isEnough() ? 'enough' : 'on';
    });
    return before - this.size;
  }
}
