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
import { chainOf, type Conclusion, isConclusion, type Link, linksOf } from './batch.ts';
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
  /** Reads the histories from which feature backfills start. */
  readonly pool: Pool;
}

/** The engine's state as of an offset, for a log whose beginning was removed. */
export interface ReplayStart extends Position {
  readonly globals: Uint8Array;
  /** Loads entities as of that offset; returns every key, found or not. */
  load(keys: readonly string[]): Promise<readonly SuppliedEntity[]>;
}

export interface ReplayOptions {
  /** Where replay begins; omitted: at the log's first record. */
  readonly start?: ReplayStart | undefined;
  /** Replay stops before this offset. */
  readonly end: number;
  /** Offsets that the live engine quarantined. */
  readonly quarantined: ReadonlySet<number>;
  /** Records read and opened together; affects only the speed. */
  readonly batchRecords?: number;
  /** After this many records the state is serialized, discarded and restored; does not affect the result. */
  readonly restartRecords?: number;
  /** Called after each batch; an error thrown here ends the replay. */
  readonly onBatch?: (batch: ReplayedBatch, position: Position) => void | Promise<void>;
  /** Replaces a record before it is stepped, for what-if queries; omitted: records are stepped unchanged. */
  readonly instead?: (record: EngineRecord) => EngineRecord;
  /** Called for each decision while its facts are available. */
  readonly onDecided?: (state: EngineState, decision: Decision) => void;
}

/** The outcome of records that were read together. */
export interface ReplayedBatch {
  /** Without quarantined records. */
  readonly records: readonly EngineRecord[];
  /** In decision order; includes events of earlier batches that had waited. */
  readonly conclusions: readonly Conclusion[];
}

export interface Replayed extends Position {
  /** Events that can no longer be opened: their decisions cannot be reproduced. */
  readonly unreadable: number;
}

const batchDefault = 1_000;

/**
 * Steps a log from its beginning, or from `start`, on the live engine's code path, and returns the digest chain of all
 * decisions. Writes nothing. If the chain equals `engine_position.digest`, every decision was reproduced bit for bit.
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
    assert(records[0]!.offset === position.nextOffset, 'the log contains the first record of the replay');
    const opened = await opener.openAll(workspace, records, options.quarantined);
    const batch = { records: opened.map(({ record }) => instead(record)), conclusions: [] as Conclusion[] };
    const links: Link[] = [];
    unreadable += batch.records.filter(({ kind }) => kind === 'unreadable').length;
    await entities.prefetch(state, batch.records);
    for (let place = 0; place < batch.records.length;) {
      const recordsMax = Math.min(togetherMax, (options.restartRecords ?? Infinity) - sinceRestart);
      const some = await together(batch.records.slice(place, place + recordsMax), state, fold);
      const effects = await stepSome(state, some, entities);
      for (const of of effects) links.push(...linksOf(of));
      place += effects.length;
      sinceRestart += effects.length;
      if (sinceRestart === options.restartRecords) {
        state = await restored(entities.keep(state), by);
        sinceRestart = 0;
      }
    }
    batch.conclusions.push(...links.filter(isConclusion));
    position = {
      nextOffset: records.at(-1)!.offset + 1,
      decided: position.decided + batch.conclusions.length,
      digest: chainOf(links, position.digest),
    };
    await options.onBatch?.(batch, position);
  }
  return { nextOffset: position.nextOffset, decided: position.decided, digest: position.digest, unreadable };
}

function asItIs(record: EngineRecord): EngineRecord {
  return record;
}

/** Steps at least the first record. */
async function stepSome(state: EngineState, records: readonly EngineRecord[], entities: Entities) {
  for (;;) {
    const { effects, keys } = stepTogether(state, records);
    if (keys.length > 0) await entities.supplyTo(state, keys);
    if (effects.length > 0) return effects;
  }
}

/** Stands in for the entity table: the entities of `start`, overlaid by those serialized since. */
class Entities {
  readonly #start: ReplayStart | undefined;
  /** Without bytes: the entity was removed. */
  readonly #kept = new Map<string, { readonly subject: string | undefined; readonly bytes: Uint8Array | undefined }>();

  constructor(start: ReplayStart | undefined) {
    this.#start = start;
  }

  /** Loads in one query what a batch will need and is not in memory. */
  async prefetch(state: EngineState, records: readonly EngineRecord[]): Promise<void> {
    if (this.#start !== undefined)
      await this.supplyTo(state, [...new Set(records.flatMap((one) => keysOf(state, one)))]);
  }

  async supplyTo(state: EngineState, keys: readonly string[]): Promise<void> {
    const elsewhere = this.#start === undefined ? [] : keys.filter((key) => !this.#kept.has(key));
    if (elsewhere.length > 0) supply(state, await this.#start!.load(elsewhere));
    // Entities already in memory are not replaced.
    supply(
      state,
      keys.map((key) => ({ key, bytes: this.#kept.get(key)?.bytes })),
    );
  }

  /** Serializes the whole state. @returns its globals */
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

/** The state as a new process would restore it: entities are loaded again on demand. */
async function restored(
  globals: Uint8Array,
  by: { readonly deps: ReplayDeps; readonly workspace: Workspace; readonly onDecided: ReplayOptions['onDecided'] },
): Promise<EngineState> {
  const { policyVersion } = readHead(globals);
  const policy = policyVersion === 0 ? undefined : await by.deps.policies.policy(by.workspace.id, policyVersion);
  return restoreState(globals, policy, { complete: false, onDecided: by.onDecided });
}
