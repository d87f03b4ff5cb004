import type { KeyObject } from 'node:crypto';
import type { CheckpointEntity, EntitySource, EntityStates, SuppliedEntity } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { chainKey } from '../../platform/secrets/chain-key.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { behindFence, type Fence } from '../../platform/database/transactions.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { decodeEntry, encodeEntry, type Entry, expiryOf, isDeleted, nameBytes, subjectOf } from './block.ts';
import { EntityRows } from './entity-rows.ts';
import { entityPlace, statePlace } from './state-places.ts';
import { findEntries, MissingBlockError } from './find-entries.ts';
import { type Merged, mergeSegments, runToMerge } from './merge.ts';
import { TaggedReading } from './tagged-reading.ts';
import type { ChainOf } from '../chain/chain-rows.ts';
import { noteChanges } from '../chain/noticed-changes.ts';
import { type Segment, SegmentBuilder, UnsortedEntries } from './segment.ts';
import { readSeal, type SealedAt, writeSeal } from './store-seal.ts';
import {
  type Connection,
  copySegments,
  deleteSegments,
  deleteUnfinished,
  erasedAmong,
  insertBlocks,
  insertSegment,
  newSegmentId,
  readBlocks,
  readSegments,
  type StateStore,
  type StoreId,
} from './segment-rows.ts';

/**
 * Entities captured and sealed at a time; the event loop turns between two parts. A decision takes several turns, and
 * each may have to wait for one such part: 2 ms.
 */
const partMax = 100;
/** Entities of a checkpoint in one segment: some 40 MB while they are sorted. */
const segmentMax = 131_072;
/** Rows of an earlier release that move into a segment with one checkpoint. */
const carriedAtOnce = 5_000;
/** The level of segments with these rows: it is reached by merges of 40 million entities. */
const carriedLevel = 4;

/** What is in memory of a store. */
interface Opened {
  /** Newest first. */
  segments: Segment[];
  /** Of the last checkpoint: others may not see them yet. */
  readonly unconfirmed: Set<number>;
  /** Whether rows of an earlier release are left. */
  hasRows: boolean;
}

/**
 * Entity states in the database: sorted segments, each written once (a log-structured merge tree). A checkpoint writes
 * the entities that changed as one segment of level 0; eight segments of a level are merged into one of the next. Only
 * the segments' filters and the first name of each block are in memory: a name that no filter knows is absent, and no
 * query is made.
 *
 * A state is named by a keyed hash, and sealed under the key of the client to which it belongs, else under the
 * workspace's: a dump reveals neither names nor contents, and destroying a client's key erases it in all segments.
 * The name is authenticated: the state of one entity does not open under the name of another.
 *
 * One instance has one writer: its owner calls `save` and `compact`, one after the other.
 */
export class PostgresEntityStates implements EntityStates<Connection> {
  readonly #workspace: Workspace;
  readonly #id: StoreId;
  readonly #subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly #rows: EntityRows;
  readonly #key: KeyObject;
  /** One that changes what is stored waits for the other: a checkpoint, and merged segments that take their place. */
  readonly #turns = new Semaphore(1);
  /** What the seal says beside the segments; `undefined` while there is no seal. */
  #sealedAt: SealedAt | undefined;
  #opened: Promise<Opened> | undefined;
  /** Ends when merged segments are in the place of those that they were made of, or it is certain that they are not. */
  #swap: Promise<void> = Promise.resolve();
  /** Erased clients: what is this old or older is gone, although their keys may still be cached. */
  readonly #erased = new Map<string, number>();
  /** What was this old or older had expired at that log time. */
  #expired: readonly { readonly age: number; readonly logTimeMs: number }[] = [];

  constructor(workspace: Workspace, store: StateStore, subjects: Pick<SubjectKeys, 'bySubject'>) {
    this.#workspace = workspace;
    this.#id = { workspaceId: workspace.id, store };
    this.#subjects = subjects;
    this.#key = chainKey(workspace.secrets.data);
    this.#rows = new EntityRows(workspace, store === 'base' ? 'base_entity' : 'entity_state');
  }

  async isEmpty(on: Connection): Promise<boolean> {
    const { segments, hasRows } = await this.#open(on);
    return segments.length === 0 && !hasRows;
  }

  async load(keys: readonly string[], on: Connection): Promise<SuppliedEntity[]> {
    if (keys.length === 0) return [];
    const opened = await this.#open(on);
    const { hasRows } = opened;
    const names = keys.map((key) => this.#nameOf(key));
    const found = await this.#findAll(names, opened, on);
    const entries = found.map((one) =>
      one === undefined || this.#isGone(one) ? undefined : decodeEntry(one.block, one.at),
    );
    const sealKeys = await this.#subjects.bySubject(
      this.#workspace,
      subjectsIn(entries.filter((one) => one !== undefined)),
    );
    const loaded = keys.map((key, i): SuppliedEntity => ({ key, bytes: this.#openEntry(entries[i], sealKeys) }));
    if (!hasRows) return loaded;
    const unknown = keys.filter((_, i) => found[i] === undefined);
    const rows = new Map((await this.#rows.load(unknown, on)).map((row) => [row.key, row]));
    return loaded.map((one) => rows.get(one.key) ?? one);
  }

  /** Call within a transaction. */
  async save(checkpoint: EntitySource, on: Connection): Promise<void> {
    await this.store(await this.collect(checkpoint), on);
  }

  /**
   * Captures, seals and sorts a checkpoint's entities, each part just before it is sealed. Under load this takes seconds:
   * call it before the transaction begins.
   */
  async collect(checkpoint: EntitySource): Promise<readonly BuiltSegment[]> {
    const collected: BuiltSegment[] = [];
    let changed = new UnsortedEntries();
    for (let some = checkpoint.next(partMax); some.length > 0; some = checkpoint.next(partMax)) {
      const keys = await this.#subjects.bySubject(this.#workspace, subjectsIn(some));
      for (const entity of some) changed.add(encodeEntry(this.#entryOf(entity, keys)));
      await turn();
      if (changed.count < segmentMax) continue;
      collected.push(await built(changed, this.#key));
      changed = new UnsortedEntries();
    }
    if (changed.count > 0) collected.push(await built(changed, this.#key));
    return collected;
  }

  /** Writes what was collected, and moves some rows of an earlier release. Call within the checkpoint's transaction. */
  async store(collected: readonly BuiltSegment[], on: Connection): Promise<void> {
    const opened = await this.#open(on);
    for (const one of collected) {
      const segment = await this.#write(one, on);
      opened.segments.unshift(segment);
      opened.unconfirmed.add(segment.id);
    }
    if (opened.hasRows) await this.#carryRows(opened, on);
  }

  /** Which chain of records belongs to these states. */
  get chainOf(): ChainOf {
    return { workspaceId: this.#id.workspaceId, key: this.#key };
  }

  /** Runs what changes the stored states, one after the other. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = await this.#turns.take();
    return work().finally(done);
  }

  /** Seals what is stored now, together with its offset. Call within the transaction that changes it. */
  async seal(at: SealedAt, on: Connection): Promise<void> {
    const { segments, hasRows } = await this.#open(on);
    this.#sealedAt = at;
    await writeSeal(on, { ...this.#id, key: this.#key }, { ...at, segments, hasRows });
  }

  /** The stored seal, and whether it is of what is stored now; `undefined` for none. Call it before the first merge. */
  async readSeal(on: Connection): Promise<(SealedAt & { readonly isWhole: boolean }) | undefined> {
    const { segments, hasRows } = await this.#open(on);
    const found = await readSeal(on, { ...this.#id, key: this.#key }, { segments, hasRows });
    this.#sealedAt = found;
    return found;
  }

  /** What was saved is committed: until then its entities are in memory, and what cannot be seen is not missing. */
  async committed(): Promise<void> {
    (await this.#opened)?.unconfirmed.clear();
  }

  /** What is stored of these clients is gone; it is removed from the segments when they are merged. */
  async removeSubjects(subjects: readonly string[], on: Connection): Promise<void> {
    if (subjects.length === 0) return;
    const { segments, hasRows } = await this.#open(on);
    const age = segments[0]?.age ?? 0;
    for (const subject of subjects) this.#erased.set(subject, age);
    if (hasRows) await this.#rows.removeSubjects(subjects, on);
  }

  /** What has expired is gone; it is removed from the segments when they are merged. */
  async removeExpired(logTimeMs: number, on: Connection): Promise<void> {
    const { segments, hasRows } = await this.#open(on);
    const age = segments[0]?.age ?? 0;
    const others = this.#expired.filter((one) => one.age > age || one.logTimeMs > logTimeMs);
    this.#expired = [...others, { age, logTimeMs }];
    if (hasRows) await this.#rows.removeExpired(logTimeMs, on);
  }

  /** Call within a transaction. */
  async replaceBy(other: PostgresEntityStates, on: Connection): Promise<void> {
    const own = await this.#open(on);
    await deleteSegments(
      on,
      own.segments.map(({ id }) => id),
    );
    await copySegments(on, other.#id, this.#id);
    await this.#rows.replaceBy(other.#rows, on);
    this.#opened = undefined;
    this.#erased.clear();
    for (const [subject, age] of other.#erased) this.#erased.set(subject, age);
    this.#expired = other.#expired;
    await this.#open(on);
  }

  /**
   * Merges the segments of one level that has enough of them. The blocks are written in small transactions, and take
   * their place in one.
   *
   * @param fence holds while they take their place
   * @param stop ends it early, with nothing changed
   * @returns whether it merged any
   */
  async compact(pool: Pool, fence: Fence, stop?: AbortSignal): Promise<boolean> {
    const opened = await this.#open(pool);
    const inputs = runToMerge(opened.segments);
    if (inputs.length === 0 || stop?.aborted === true) return false;
    const isOldest = inputs.at(-1) === opened.segments.at(-1) && !opened.hasRows;
    const result = await this.#merge(inputs, { isOldest, stop }, pool);
    if (result === undefined) return false;
    const swapped = this.alone(async () => {
      const at = opened.segments.indexOf(inputs[0]!);
      const segments = opened.segments.toSpliced(at, inputs.length, ...result.merged);
      await behindFence(pool, fence, (client) => this.#swapIn(client, inputs, { ...result, segments }));
      opened.segments = segments;
    });
    this.#swap = swapped.catch(() => {});
    await swapped;
    return true;
  }

  /** What was changed outside of the service is noted with it, because the merged segment has it as well. */
  async #swapIn(
    client: ClientBase,
    inputs: readonly Segment[],
    { id, merged, changed, segments }: Merge & { readonly segments: readonly Segment[] },
  ): Promise<void> {
    await deleteSegments(
      client,
      inputs.map((input) => input.id),
    );
    if (merged.length === 0) await deleteSegments(client, [id]);
    for (const one of merged) await insertSegment(client, this.#id, one);
    if (this.#sealedAt === undefined) return;
    const hasRows = (await this.#open(client)).hasRows;
    const { workspaceId, store } = this.#id;
    await writeSeal(client, { ...this.#id, key: this.#key }, { ...this.#sealedAt, segments, hasRows });
    const whats = changed.map((segment) => `state_segment (${store}), ${segment}`);
    await noteChanges(client, workspaceId, { offset: this.#sealedAt.nextOffset, whats });
  }

  /** Removes what an interrupted merge left. Call behind the fence, before the first `compact`. */
  async removeUnfinished(on: Connection): Promise<void> {
    await deleteUnfinished(on, this.#id);
  }

  /** Everything that is stored, in no order. For tests. */
  async *entries(on: Connection): AsyncGenerator<Entry & { readonly state: Buffer }> {
    const { segments } = await this.#open(on);
    for await (const some of mergeSegments(segments, ({ id }, block) => readBlocks(on, { segment: id, block }))) {
      for (const one of some) {
        if (this.#isGone(one)) continue;
        const entry = decodeEntry(one.block, one.at);
        const keys = await this.#subjects.bySubject(this.#workspace, subjectsIn([entry]));
        const state = this.#openEntry(entry, keys);
        if (state !== undefined) yield { ...entry, state };
      }
    }
  }

  /** Seals the engine's global state as of an offset. */
  sealState(bytes: Uint8Array, nextOffset: number): Buffer {
    return seal(this.#workspace.secrets.data, bytes, statePlace(this.#workspace.id, nextOffset));
  }

  openState({ nextOffset, state }: { readonly nextOffset: number; readonly state: Uint8Array }): Buffer {
    return open(this.#workspace.secrets.data, state, statePlace(this.#workspace.id, nextOffset));
  }

  #open(on: Connection): Promise<Opened> {
    this.#opened ??= this.#read(on).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #read(on: Connection): Promise<Opened> {
    const segments = await readSegments(on, this.#id);
    return { segments, unconfirmed: new Set(), hasRows: !(await this.#rows.isEmpty(on)) };
  }

  /** The newest entry of each name, or `undefined` for none. Looks again when a merge has replaced segments meanwhile. */
  async #findAll(names: readonly Buffer[], opened: Opened, on: Connection): Promise<readonly (Merged | undefined)[]> {
    for (;;) {
      const segments = [...opened.segments];
      const found = await findEntries(names, { segments, unconfirmed: opened.unconfirmed }, on);
      if (!(found instanceof MissingBlockError)) return found;
      await this.#swap;
      if (opened.segments.some(({ id }) => id === found.segment)) throw found;
    }
  }

  /** Whether the client of an entry was erased, or it has expired. */
  #isGone({ segment: { age }, block, at }: Merged): boolean {
    if (this.#erased.size > 0 && (this.#erased.get(subjectOf(block, at) ?? '') ?? -Infinity) >= age) return true;
    const expiresAtMs = expiryOf(block, at);
    return expiresAtMs !== undefined && this.#expired.some((one) => one.age >= age && one.logTimeMs >= expiresAtMs);
  }

  #openEntry(entry: Entry | undefined, keys: ReadonlyMap<string, Buffer>): Buffer | undefined {
    if (entry?.sealed === undefined) return undefined;
    const key = keyAmong(keys, this.#workspace, entry.subject);
    return key && open(key, entry.sealed, entityPlace(this.#workspace.id, entry.name));
  }

  /** An entity of a client erased meanwhile is stored as deleted. */
  #entryOf({ key, subject, bytes, expiresAtMs }: CheckpointEntity, keys: ReadonlyMap<string, Buffer>): Entry {
    const name = this.#nameOf(key);
    const sealKey = keyAmong(keys, this.#workspace, subject);
    if (bytes === undefined || sealKey === undefined) {
      return { name, subject: undefined, expiresAtMs: undefined, sealed: undefined };
    }
    return { name, subject, expiresAtMs, sealed: seal(sealKey, bytes, entityPlace(this.#workspace.id, name)) };
  }

  /** Writes a segment; without `place`, as the newest one. */
  async #write(
    { blocks, ...described }: BuiltSegment,
    on: Connection,
    place?: Pick<Segment, 'level' | 'age'>,
  ): Promise<Segment> {
    const id = await newSegmentId(on);
    const segment: Segment = { id, ...(place ?? { level: 0, age: id }), ...described };
    await insertSegment(on, this.#id, segment);
    await insertBlocks(on, { segment: id, block: 0 }, blocks);
    return segment;
  }

  /** `undefined` if it was stopped; what it wrote is removed at the next start. */
  async #merge(
    inputs: readonly Segment[],
    { isOldest, stop }: { readonly isOldest: boolean; readonly stop: AbortSignal | undefined },
    pool: Pool,
  ): Promise<Merge | undefined> {
    const id = await newSegmentId(pool);
    const { level, age } = inputs[0]!;
    // Rarely enough, and where an entry need not hide another one.
    const looksForErased = isOldest && level > 0;
    const empty = { id, age, entries: 0, firsts: new Float64Array(), filter: Buffer.alloc(0), tag: undefined };
    await insertSegment(pool, this.#id, { ...empty, level: undefined });
    const builder = new SegmentBuilder(
      inputs.reduce((sum, { entries }) => sum + entries, 0),
      this.#key,
    );
    const reading = new TaggedReading(this.#key, pool);
    let written = 0;
    const write = async (): Promise<void> => {
      const blocks = builder.take();
      await insertBlocks(pool, { segment: id, block: written }, blocks);
      written += blocks.length;
    };
    for await (const some of mergeSegments(inputs, reading.read)) {
      const erased = looksForErased ? await this.#erasedAmong(some, pool) : none;
      for (const one of some) this.#keep(one, { builder, isOldest, erased });
      await write();
      await turn();
      if (stop?.aborted === true) return undefined;
    }
    const built = builder.end();
    await write();
    const segment = { ...empty, level: level + 1, ...built };
    return { id, merged: built.entries === 0 ? [] : [segment], changed: reading.changed(inputs) };
  }

  /** Clients of these entries that were erased, also by an earlier life of this process. */
  async #erasedAmong(some: readonly Merged[], pool: Pool): Promise<ReadonlySet<string>> {
    const subjects = subjectsIn(some.map(({ block, at }) => ({ subject: subjectOf(block, at) })));
    return new Set(await erasedAmong(pool, this.#workspace.id, subjects));
  }

  /** Adds an entry to a merged segment. One that is gone still hides those of older segments. */
  #keep(
    one: Merged,
    {
      builder,
      isOldest,
      erased,
    }: { readonly builder: SegmentBuilder; readonly isOldest: boolean; readonly erased: ReadonlySet<string> },
  ): void {
    const { block, at } = one;
    const isGone = isDeleted(block, at) || this.#isGone(one) || erased.has(subjectOf(block, at) ?? '');
    if (!isGone) builder.add(block, at);
    else if (!isOldest) {
      const { name } = decodeEntry(block, at);
      builder.add(encodeEntry({ name, subject: undefined, expiresAtMs: undefined, sealed: undefined }), 0);
    }
  }

  /** Moves some rows of an earlier release into the oldest segment. Call within the checkpoint's transaction. */
  async #carryRows(opened: Opened, on: Connection): Promise<void> {
    const rows = await this.#rows.take(carriedAtOnce, on);
    const run = new UnsortedEntries();
    for (let at = 0; at < rows.length; at += partMax) {
      const some = rows.slice(at, at + partMax);
      const keys = await this.#subjects.bySubject(this.#workspace, subjectsIn(some));
      for (const { name, subject, sealed, expiresAtMs } of some) {
        const key = keyAmong(keys, this.#workspace, subject);
        const bytes = this.#rows.openRow(sealed);
        if (key === undefined || bytes === undefined) continue;
        run.add(
          encodeEntry({ name, subject, expiresAtMs, sealed: seal(key, bytes, entityPlace(this.#workspace.id, name)) }),
        );
      }
      await turn();
    }
    if (run.count > 0) {
      const oldest = opened.segments.at(-1);
      const place = { level: Math.max(carriedLevel, oldest?.level ?? 0), age: Math.min(0, oldest?.age ?? 0) - 1 };
      const segment = await this.#write(await built(run, this.#key), on, place);
      opened.segments.push(segment);
      opened.unconfirmed.add(segment.id);
    }
    opened.hasRows = rows.length === carriedAtOnce;
  }

  #nameOf(key: string): Buffer {
    return blindIndex(this.#workspace.secrets.index, key).subarray(0, nameBytes);
  }
}

/** A merge whose blocks are written. */
interface Merge {
  readonly id: number;
  /** None if nothing is left. */
  readonly merged: readonly Segment[];
  /** Inputs whose content was not what the service had written. */
  readonly changed: readonly number[];
}

/** A segment that is not written yet. */
export type BuiltSegment = Pick<Segment, 'entries' | 'firsts' | 'filter' | 'tag'> & {
  readonly blocks: readonly Buffer[];
};

async function built(entries: UnsortedEntries, key: KeyObject): Promise<BuiltSegment> {
  const builder = new SegmentBuilder(entries.count, key);
  for (const some of entries.takeSorted()) {
    for (const entry of some) builder.add(entry, 0);
    await turn();
  }
  const described = builder.end();
  return { ...described, blocks: builder.take() };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const none: ReadonlySet<string> = new Set();
