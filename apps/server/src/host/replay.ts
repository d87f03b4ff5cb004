import {
  checkpointCommitted,
  checkpointOf,
  encodeDecision,
  type EngineRecord,
  type EngineState,
  newState,
  readHead,
  restoreState,
  step,
  supply,
} from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Workspace } from '../workspaces/workspace.ts';
import { type Conclusion, conclusionsOf } from './batch.ts';
import { emptyDigest, nextDigest } from './digest.ts';
import type { Position } from './effect-writer.ts';
import { type PolicySource, RecordOpener } from './record-opener.ts';
import type { SubjectKeys } from '../subjects/subject-keys.ts';

export interface ReplayDeps {
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly policies: PolicySource;
}

export interface ReplayOptions {
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
 * Steps a log from its beginning, on the live engine's own path, and answers the chain of all decisions. Writes
 * nothing. The same chain as `engine_position.digest` says: every decision came out bit for bit.
 */
export async function replay(deps: ReplayDeps, workspace: Workspace, options: ReplayOptions): Promise<Replayed> {
  const opener = new RecordOpener(deps.subjects, deps.policies);
  let state = newState({ complete: true });
  const kept: Kept = new Map();
  let position: Position = { nextOffset: 0, decided: 0, digest: emptyDigest };
  let unreadable = 0;
  let sinceRestart = 0;
  while (position.nextOffset < options.end) {
    const limit = Math.min(options.batchRecords ?? batchDefault, options.end - position.nextOffset);
    const records = await deps.log.read(workspace.id, position.nextOffset, limit);
    if (records.length === 0) break;
    const opened = await opener.openAll(workspace, records, options.quarantined);
    const batch = { records: opened.filter((record) => record !== undefined), conclusions: [] as Conclusion[] };
    let { decided, digest } = position;
    for (const record of batch.records) {
      if (record.kind === 'unreadable') unreadable += 1;
      for (const conclusion of conclusionsOf(stepWhole(state, record, kept))) {
        digest = nextDigest(digest, encodeDecision(conclusion.decision, conclusion.actions));
        decided += 1;
        batch.conclusions.push(conclusion);
      }
      sinceRestart += 1;
      if (sinceRestart === options.restartRecords) {
        state = await restarted(state, kept, { deps, workspace });
        sinceRestart = 0;
      }
    }
    position = { nextOffset: records.at(-1)!.offset + 1, decided, digest };
    await options.onBatch?.(batch, position);
  }
  return { ...position, unreadable };
}

/** What a database would keep of the entities, by their keys. */
type Kept = Map<string, { readonly subject: string | undefined; readonly bytes: Uint8Array }>;

type Stepped = Parameters<typeof step>[1];

function stepWhole(state: EngineState, record: Stepped, kept: Kept) {
  for (;;) {
    const stepped = step(state, record);
    if (stepped.kind === 'done') return stepped.effects;
    supply(
      state,
      stepped.keys.map((key) => ({ key, bytes: kept.get(key)?.bytes })),
    );
  }
}

/** The state as a new process would find it: written out whole, and read again as it is needed. */
async function restarted(
  state: EngineState,
  kept: Kept,
  by: { readonly deps: ReplayDeps; readonly workspace: Workspace },
): Promise<EngineState> {
  const checkpoint = checkpointOf(state);
  for (const [key, { subject }] of kept) {
    if (subject !== undefined && checkpoint.erased.includes(subject)) kept.delete(key);
  }
  for (const { key, subject, bytes } of checkpoint.entities) {
    if (bytes === undefined) kept.delete(key);
    else kept.set(key, { subject, bytes });
  }
  checkpointCommitted(state, checkpoint);
  const { policyVersion } = readHead(checkpoint.globals);
  const policy = policyVersion === 0 ? undefined : await by.deps.policies.policy(by.workspace.id, policyVersion);
  return restoreState(checkpoint.globals, policy, { complete: false });
}
