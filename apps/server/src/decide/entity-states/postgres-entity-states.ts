import { assert } from '@ringfence/contract';
import type { CheckpointEntity, EntitySource, EntityStates, SuppliedEntity } from '@ringfence/engine';
import type { Pool } from 'pg';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { behindFence, type Fence } from '../../platform/database/transactions.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { decodeEntry, encodeEntry, type Entry, expiryOf, findEntry, isDeleted, nameBytes, subjectOf } from './block.ts';
import { mayContain } from './bloom-filter.ts';
import { EntityRows } from './entity-rows.ts';
import { entityPlace, statePlace } from './state-places.ts';
import { type Merged, mergeSegments, type ReadBlocks } from './merge.ts';
import { blockOf, type Segment, SegmentBuilder, UnsortedEntries } from './segment.ts';
import {
  type Connection,
  copySegments,
  deleteSegments,
  deleteUnfinished,
  erasedAmong,
  findBlocks,
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
/** Segments of one level that are merged into one of the next. */
const fanIn = 8;
/** Rows of an earlier release that move into a segment with one checkpoint. */
const carriedAtOnce = 5_000;
/** The level of segments with these rows: it is reached by merges of 40 million entities. */
const carriedLevel = 4;

/** An entry with its place. */
interface SealedEntry extends Entry {
  readonly sealed: Buffer;
  readonly place: Place;
}

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
      collected.push(await built(changed));
      changed = new UnsortedEntries();
    }
    if (changed.count > 0) collected.push(await built(changed));
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
    const merged = await this.#merge(inputs, { isOldest, stop }, pool);
    if (merged === undefined) return false;
    const swapped = behindFence(pool, fence, async (client) => {
      await deleteSegments(
        client,
        inputs.map(({ id }) => id),
      );
      if (merged.entries === 0) await deleteSegments(client, [merged.id]);
      else await insertSegment(client, this.#id, merged);
    }).then(() => {
      const at = opened.segments.indexOf(inputs[0]!);
      opened.segments.splice(at, inputs.length, ...(merged.entries === 0 ? [] : [merged]));
    });
    this.#swap = swapped.catch(() => {});
    await swapped;
    return true;
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

  /** All entries that have a state, segment by segment, newest segment first. */
  async *sealedEntries(on: Connection): AsyncGenerator<SealedEntry> {
    const readSome: ReadBlocks = ({ id }, block) => readBlocks(on, { segment: id, block });
    for (const segment of await readSegments(on, this.#id)) {
      for await (const some of mergeSegments([segment], readSome)) {
        for (const { block, at } of some) {
          const { sealed, ...entry } = decodeEntry(block, at);
          if (sealed !== undefined) yield { ...entry, sealed, place: entityPlace(this.#workspace.id, entry.name) };
        }
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
      const found = await this.#find(names, { segments, unconfirmed: opened.unconfirmed }, on);
      if (!(found instanceof MissingBlockError)) return found;
      await this.#swap;
      if (opened.segments.some(({ id }) => id === found.segment)) throw found;
    }
  }

  async #find(
    names: readonly Buffer[],
    { segments, unconfirmed }: { readonly segments: readonly Segment[]; readonly unconfirmed: ReadonlySet<number> },
    on: Connection,
  ): Promise<readonly (Merged | undefined)[] | MissingBlockError> {
    const found: (Merged | undefined)[] = Array.from({ length: names.length }, () => undefined);
    let sought = names.map((name, i) => ({ i, name, prefix: name.readUIntBE(0, 6), from: 0, block: -1 }));
    for (;;) {
      // The newest segment, among those not looked into, that may have the name.
      sought = sought.filter((one) => {
        while (one.from < segments.length) {
          const segment = segments[one.from]!;
          one.block = mayContain(segment.filter, one.name) ? blockOf(segment, one.prefix) : -1;
          if (one.block >= 0) return true;
          one.from += 1;
        }
        return false;
      });
      if (sought.length === 0) return found;
      const blocks = await findBlocks(
        on,
        sought.map(({ from, block }) => ({ segment: segments[from]!.id, block })),
      );
      const missing = sought.find(({ from }, at) => blocks[at] === undefined && !unconfirmed.has(segments[from]!.id));
      if (missing !== undefined) return new MissingBlockError(segments[missing.from]!.id);
      sought = sought.filter((one, at) => {
        const segment = segments[one.from]!;
        const block = blocks[at];
        const place = block === undefined ? -1 : findEntry(block, one.name);
        one.from += 1;
        if (block === undefined || place < 0) return true;
        found[one.i] = { segment, block, at: place };
        return false;
      });
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
  ): Promise<Segment | undefined> {
    const id = await newSegmentId(pool);
    const { level, age } = inputs[0]!;
    // Rarely enough, and where an entry need not hide another one.
    const looksForErased = isOldest && level > 0;
    const empty = { id, age, entries: 0, firsts: new Float64Array(), filter: Buffer.alloc(0) };
    await insertSegment(pool, this.#id, { ...empty, level: undefined });
    const builder = new SegmentBuilder(inputs.reduce((sum, { entries }) => sum + entries, 0));
    let written = 0;
    const write = async (): Promise<void> => {
      const blocks = builder.take();
      await insertBlocks(pool, { segment: id, block: written }, blocks);
      written += blocks.length;
    };
    for await (const some of mergeSegments(inputs, ({ id: segment }, block) => readBlocks(pool, { segment, block }))) {
      const erased = looksForErased ? await this.#erasedAmong(some, pool) : none;
      for (const one of some) this.#keep(one, { builder, isOldest, erased });
      await write();
      await turn();
      if (stop?.aborted === true) return undefined;
    }
    const built = builder.end();
    await write();
    return { ...empty, level: level + 1, ...built };
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
      const segment = await this.#write(await built(run), on, place);
      opened.segments.push(segment);
      opened.unconfirmed.add(segment.id);
    }
    opened.hasRows = rows.length === carriedAtOnce;
  }

  #nameOf(key: string): Buffer {
    return blindIndex(this.#workspace.secrets.index, key).subarray(0, nameBytes);
  }
}

/** A part of the stored state is not in the database, as after a failover to a copy that lagged: read it again. */
class MissingBlockError extends Error {
  override readonly name = 'MissingBlockError';
  readonly segment: number;

  constructor(segment: number) {
    super(`the database lacks a part of segment ${segment} of the stored state`);
    this.segment = segment;
  }
}

/** A segment that is not written yet. */
type BuiltSegment = Pick<Segment, 'entries' | 'firsts' | 'filter'> & { readonly blocks: readonly Buffer[] };

async function built(entries: UnsortedEntries): Promise<BuiltSegment> {
  const builder = new SegmentBuilder(entries.count);
  for (const some of entries.takeSorted()) {
    for (const entry of some) builder.add(entry, 0);
    await turn();
  }
  const described = builder.end();
  return { ...described, blocks: builder.take() };
}

/** The segments of the lowest level that has enough of them; none if no level has. */
function runToMerge(segments: readonly Segment[]): readonly Segment[] {
  for (let from = 0; from < segments.length;) {
    const { level } = segments[from]!;
    let to = from;
    while (to < segments.length && segments[to]!.level === level) to += 1;
    assert(to === segments.length || segments[to]!.level > level, 'older segments have higher levels');
    if (to - from >= fanIn) return segments.slice(from, to);
    from = to;
  }
  return [];
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const none: ReadonlySet<string> = new Set();
