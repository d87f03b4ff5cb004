import { assert } from '@ringfence/contract';
import {
  checkpointCommitted,
  checkpointOf,
  type Decision,
  type EngineRecord,
  type EngineState,
  keysOf,
  newState,
  readHead,
  restoreState,
  stepTogether,
  supply,
  togetherMax,
  type SuppliedEntity,
} from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { chainOf, type Conclusion, conclusionsOf } from './batch.ts';
import { emptyDigest } from './digest.ts';
import type { Position } from './batch-writer.ts';
import { foldAtOnce, together } from './feature-backfill/folded-record.ts';
import type { Pool } from 'pg';
import { RecordOpener } from '../records/record-opener.ts';
import type { PolicySource } from '../policies/policy-cache.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';

export interface ReplayDeps {
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly policies: PolicySource;
  /** For histories that policies begin with. */
  readonly pool: Pool;
}

/** The engine's state as of an offset, for a log whose beginning is not kept. */
export interface ReplayStart extends Position {
  readonly globals: Uint8Array;
  /** Entities as of there; every key is answered, found or not. */
  load(keys: readonly string[]): Promise<readonly SuppliedEntity[]>;
}

export interface ReplayOptions {
  /** Where replay begins; left out: with the log's first record. */
  readonly start?: ReplayStart | undefined;
  /** Replay stops before this offset. */
  readonly end: number;
  /** Offsets that the live engine put aside. */
  readonly quarantined: ReadonlySet<number>;
  /** Records read and opened together; changes nothing but the speed. */
  readonly batchRecords?: number;
  /** After so many records the state is written out, thrown away and restored; changes nothing. */
  readonly restartRecords?: number;
  /** Called after each batch; what it throws ends the replay. */
  readonly onBatch?: (batch: ReplayedBatch, position: Position) => void | Promise<void>;
  /** What is stepped in the place of a record, for who asks what would have been; left out: the record. */
  readonly instead?: (record: EngineRecord) => EngineRecord;
  /** Hears of each decision while the facts that it was made on are there. */
  readonly onDecided?: (state: EngineState, decision: Decision) => void;
}

/** What came of records that were read together. */
export interface ReplayedBatch {
  /** Without those that were put aside. */
  readonly records: readonly EngineRecord[];
  /** In the order in which they were decided; also of events of earlier batches, which had waited. */
  readonly conclusions: readonly Conclusion[];
}

export interface Replayed extends Position {
  /** Events that cannot be opened any more: their decisions cannot come out as they did. */
  readonly unreadable: number;
}

const batchDefault = 1_000;

/**
 * Steps a log from its beginning, or from a start, on the live engine's own path, and answers the chain of all
 * decisions. Writes nothing. The same chain as `engine_position.digest` says: every decision came out bit for bit.
 */
export async function replay(deps: ReplayDeps, workspace: Workspace, options: ReplayOptions): Promise<Replayed> {
  const opener = new RecordOpener(deps.subjects, deps.policies);
  const by = { deps, workspace, onDecided: options.onDecided };
  const { instead = asItIs } = options;
  const entities = new Entities(options.start);
  const fold = foldAtOnce(deps, workspace, options.quarantined);
  let state =
    options.start === undefined
      ? newState({ complete: true, onDecided: options.onDecided })
      : await restored(options.start.globals, by);
  let position: Position = options.start ?? { nextOffset: 0, decided: 0, digest: emptyDigest };
  let unreadable = 0;
  let sinceRestart = 0;
  while (position.nextOffset < options.end) {
    const limit = Math.min(options.batchRecords ?? batchDefault, options.end - position.nextOffset);
    const records = await deps.log.read(workspace.id, position.nextOffset, limit);
    if (records.length === 0) break;
    assert(records[0]!.offset === position.nextOffset, 'the log is kept from where the replay begins');
    const opened = await opener.openAll(workspace, records, options.quarantined);
    const batch = { records: opened.map(({ record }) => instead(record)), conclusions: [] as Conclusion[] };
    unreadable += batch.records.filter(({ kind }) => kind === 'unreadable').length;
    await entities.prefetch(state, batch.records);
    for (let place = 0; place < batch.records.length;) {
      const recordsMax = Math.min(togetherMax, (options.restartRecords ?? Infinity) - sinceRestart);
      const some = await together(batch.records.slice(place, place + recordsMax), state, fold);
      const effects = await stepSome(state, some, entities);
      for (const of of effects) batch.conclusions.push(...conclusionsOf(of));
      place += effects.length;
      sinceRestart += effects.length;
      if (sinceRestart === options.restartRecords) {
        state = await restored(entities.keep(state), by);
        sinceRestart = 0;
      }
    }
    const { conclusions } = batch;
    position = {
      nextOffset: records.at(-1)!.offset + 1,
      decided: position.decided + conclusions.length,
      digest: chainOf(conclusions, position.digest),
    };
    await options.onBatch?.(batch, position);
  }
  return { nextOffset: position.nextOffset, decided: position.decided, digest: position.digest, unreadable };
}

function asItIs(record: EngineRecord): EngineRecord {
  return record;
}

/** Steps the first of them at least. */
async function stepSome(state: EngineState, records: readonly EngineRecord[], entities: Entities) {
  for (;;) {
    const { effects, keys } = stepTogether(state, records);
    if (keys.length > 0) await entities.supplyTo(state, keys);
    if (effects.length > 0) return effects;
  }
}

/** What a database would keep of the entities: those of the start, and over them what was written out since. */
class Entities {
  readonly #start: ReplayStart | undefined;
  /** Without bytes: it is no more. */
  readonly #kept = new Map<string, { readonly subject: string | undefined; readonly bytes: Uint8Array | undefined }>();

  constructor(start: ReplayStart | undefined) {
    this.#start = start;
  }

  /** In one question what a batch will ask for, where that is not in memory. */
  async prefetch(state: EngineState, records: readonly EngineRecord[]): Promise<void> {
    if (this.#start !== undefined)
      await this.supplyTo(state, [...new Set(records.flatMap((one) => keysOf(state, one)))]);
  }

  async supplyTo(state: EngineState, keys: readonly string[]): Promise<void> {
    const elsewhere = this.#start === undefined ? [] : keys.filter((key) => !this.#kept.has(key));
    if (elsewhere.length > 0) supply(state, await this.#start!.load(elsewhere));
    // What is in memory already stays as it is.
    supply(
      state,
      keys.map((key) => ({ key, bytes: this.#kept.get(key)?.bytes })),
    );
  }

  /** The state written out whole; what is left are its globals. */
  keep(state: EngineState): Uint8Array {
    const checkpoint = checkpointOf(state);
    for (const [key, { subject }] of this.#kept) {
      if (subject !== undefined && checkpoint.erased.includes(subject))
        this.#kept.set(key, { subject, bytes: undefined });
    }
    for (const { key, subject, bytes } of checkpoint.entities) this.#kept.set(key, { subject, bytes });
    checkpointCommitted(state, checkpoint);
    return checkpoint.globals;
  }
}

/** The state as a new process would find it: entities are read again as they are needed. */
async function restored(
  globals: Uint8Array,
  by: { readonly deps: ReplayDeps; readonly workspace: Workspace; readonly onDecided: ReplayOptions['onDecided'] },
): Promise<EngineState> {
  const { policyVersion } = readHead(globals);
  const policy = policyVersion === 0 ? undefined : await by.deps.policies.policy(by.workspace.id, policyVersion);
  return restoreState(globals, policy, { complete: false, onDecided: by.onDecided });
}
