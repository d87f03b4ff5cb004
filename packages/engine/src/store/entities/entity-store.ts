import { ByteWriter } from '../bytes/byte-writer.ts';
import { beginDirectorySnapshot, decodeDirectory } from '../checkpoint/entity-codec.ts';
import type { ClientEntity } from '../../clients/client-entity.ts';
import type { FeatureEntity } from '../../features/store/feature-entity.ts';
import type { Extras } from '../../features/store/overflow.ts';
import { FeatureForm } from '../../features/store/feature-form.ts';
import { FeatureGroup, type Known } from '../../features/store/feature-group.ts';
import type { Layouts } from '../../features/store/layout.ts';
import { Arena } from '../memory/arena.ts';
import type { HashKey } from '../memory/half-sip-hash.ts';
import { type KeyPart, KeyText } from '../memory/key-text.ts';
import type { SubjectId } from '../../record.ts';
import { DirectoryEntity, type Holder } from '../../sessions/directory-entity.ts';
import { clientKind, directoryKind } from './entity-kinds.ts';
import { type Capture, EntityTable } from './entity-table.ts';
import { type Evictable, Hand } from './eviction.ts';
import { InUse } from './clock-cache.ts';

/** Session names that were asked for lately: few are, and seldom again. */
const directoriesInUseMax = 256;

/** What an entity takes that is an object. */
const objectBytes = 2_048;
/** Feature entities in use that are looked at in one go, and parts of their tables: more than a record brings into use. */
const looksMax = 64;
const restedPartsMax = 16;

/** `null` is known to be absent, `undefined` unknown. */
export type Lookup<E> = E | null | undefined;

/** A feature entity that is looked for, and what `lookFor` finds. */
export interface Sought {
  /** Its name within its group, which may be missing. */
  readonly key: KeyText;
  /** The client that it is kept under. */
  subject: SubjectId | undefined;
  /** Looks into its group, for all that are looked for there. */
  readonly look: FeatureEntity;
  known: Known;
  block: number;
}

export interface StoreOptions {
  readonly complete: boolean;
  readonly hashKey: HashKey;
  readonly layouts: Layouts;
  /** Entities of each kind, and extras of feature entities, that are kept as objects; others are packed. */
  readonly inUseMax: number;
  /** Feature entities that stay in use, however much memory is taken. */
  readonly featuresInUseMax: number;
  /** Memory up to which feature entities stay in use, whatever their number. */
  readonly roomyBytes: number;
}

/** Takes what a checkpoint holds of an entity, as it is at the call. */
export interface Capturer {
  readonly client: Capture;
  readonly directory: Capture;
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
  /** Whether all that exists was resident at the beginning. */
  readonly #isWhole: boolean;
  readonly clients: EntityTable<ClientEntity>;
  readonly directories: EntityTable<DirectoryEntity>;
  /** The name of a feature entity that is brought in. */
  readonly key: KeyText;
  readonly #groups: FeatureGroup[] = [];
  readonly #arena = new Arena();
  readonly #layouts: Layouts;
  readonly #extrasInUse: InUse<Extras>;
  readonly #hashKey: HashKey;
  /** Grows with every checkpoint; an entity's `changedIn` is the one it changed in last, 0 for never. */
  #generation = 1;
  #committed = 0;
  readonly #evicting = new Hand();
  readonly #resting = new Hand();
  readonly #featuresInUseMax: number;
  readonly #roomyBytes: number;
  /** Clients erased, with the generation, until a committed checkpoint has erased them in the database too. */
  readonly #erased = new Map<SubjectId, number>();

  constructor(of: StoreOptions) {
    this.#isWhole = of.complete;
    this.#extrasInUse = new InUse(
      of.inUseMax,
      (extras) => extras.place,
      (extras) => extras.group?.putAway(extras),
    );
    const options = { arena: this.#arena, isWhole: of.complete, ...of };
    this.clients = new EntityTable(clientKind, options);
    this.directories = new EntityTable(directoryKind, {
      ...options,
      inUseMax: Math.min(of.inUseMax, directoriesInUseMax),
    });
    this.#featuresInUseMax = of.featuresInUseMax;
    this.#roomyBytes = of.roomyBytes;
    this.#hashKey = of.hashKey;
    this.key = new KeyText(of.hashKey);
    this.#layouts = of.layouts;
  }

  get size(): number {
    return this.#groups.reduce((sum, group) => sum + group.count, this.clients.size + this.directories.size);
  }

  /** About how much memory they take. */
  get bytes(): number {
    return this.#arena.usedBytes + (this.clients.objectCount + this.directories.objectCount) * objectBytes;
  }

  /** Whether all that exists is resident: an unknown entity is an absent one, and nothing is asked for. */
  get complete(): boolean {
    return this.clients.complete && this.directories.complete && this.#groups.every(({ left }) => left.areNone);
  }

  get groupCount(): number {
    return this.#groups.length;
  }

  client(subject: SubjectId): Lookup<ClientEntity> {
    const found = this.clients.find(subject);
    return found === undefined && this.#erased.has(subject) ? null : found;
  }

  directory(session: string): Lookup<DirectoryEntity> {
    return this.directories.find(session);
  }

  /** A name on its way into the tables of this store. */
  newKey(): KeyText {
    return new KeyText(this.#hashKey);
  }

  /**
   * Looks for all entities that an event is about, in two steps: what is waited for most is memory, and waiting for
   * several places at once takes no longer than for one. No two may be of one group. Answers whether something is known of
   * each.
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
   * The client, made where it is absent; changed in any case.
   *
   * @param known the client, where it has been found before
   */
  changeClient(subject: SubjectId, known?: ClientEntity): ClientEntity {
    const client = known ?? this.clients.findOrMake(subject);
    this.change(client);
    return client;
  }

  /** From now on this client uses a session's name; `undefined` for nobody. */
  putDirectory(session: string, holder: Holder | undefined): void {
    this.directories.put(new DirectoryEntity(session, holder), this.#generation);
  }

  /** What is stored of a session's name: nothing, where its client was erased since. */
  supplyDirectory(session: string, snapshot: Uint8Array | undefined): void {
    const isGone = snapshot !== undefined && this.#erased.size > 0 && this.#isOfErased(session, snapshot);
    this.directories.supply(session, isGone ? undefined : snapshot);
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
        formOf: (group: FeatureGroup) => new FeatureForm(group),
      };
      this.#groups.push(new FeatureGroup(place));
    }
    return this.#groups[number]!;
  }

  /** To be called before the client changes. */
  change(client: ClientEntity): void {
    this.clients.changed.change(client, this.#generation);
  }

  /** To be called before the entity changes. */
  changeFeature({ group, block }: FeatureEntity): void {
    group.changed.change(block, this.#generation);
  }

  /** Puts away what is not in use: to be called while nobody holds an entity. */
  rest(): void {
    this.clients.rest();
    this.directories.rest();
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

  /** Removes what is kept under this client; the host removes what is only in the database. */
  erase(subject: SubjectId, partOf: (group: number) => KeyPart | undefined): void {
    this.#erased.set(subject, this.#generation);
    this.clients.remove(subject);
    const writer = new ByteWriter();
    beginDirectorySnapshot(writer, subject);
    for (const session of this.directories.namesBeginning(writer.take())) this.putDirectory(session, undefined);
    for (const group of this.#groups) {
      const part = partOf(group.number);
      if (part !== undefined) group.removeOf(subject, part, this.key);
    }
  }

  /** Begins to capture what changed since the last call; both that and the clients erased since then are in flight now. */
  beginCapture(capturer: Capturer): { readonly generation: number; readonly erased: readonly SubjectId[] } {
    const generation = this.#generation++;
    this.clients.beginCapture(capturer.client);
    this.directories.beginCapture(capturer.directory);
    for (const group of this.#groups) group.changed.begin((block) => capturer.feature(group, block));
    const erased = [...this.#erased].filter(([, since]) => since === generation).map(([subject]) => subject);
    return { generation, erased };
  }

  /** Captures at most so many entities more. Answers whether there may be others. */
  captureSome(countMax: number): boolean {
    let rest = countMax;
    const lists = [this.clients.changed, this.directories.changed, ...this.#groups.map((group) => group.changed)];
    for (const list of lists) if (rest > 0) rest -= list.captureSome(rest);
    return rest <= 0;
  }

  /** The checkpoint of this generation is in the database. */
  committed(generation: number): void {
    this.#committed = Math.max(this.#committed, generation);
    for (const [subject, since] of this.#erased) if (since <= this.#committed) this.#erased.delete(subject);
  }

  /**
   * Lets clean entities go that nobody has touched since their last turn, until at most so much memory is taken, or
   * `steps` parts of the tables have had their turn, or all. Returns how many went.
   */
  evict(bytesMax: number, steps: number): number {
    const isEnough = (): boolean => this.bytes <= bytesMax;
    if (isEnough()) return 0;
    const before = this.size;
    const tables: readonly Evictable[] = [this.directories, this.clients, ...this.#groups];
    this.#evicting.go(tables, steps, (table, part) => {
      table.evictPart(part, { committed: this.#committed, isEnough });
      return isEnough() ? 'enough' : 'on';
    });
    return before - this.size;
  }
}
