import { type EngineRecord, type EngineState, newFeatures, stillWaiting } from '@ringfence/engine';
import type { Feature } from '@ringfence/policy';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type FoldDeps, HistoryFold } from './history-fold.ts';

export type PolicyRecord = Extract<EngineRecord, { kind: 'policy' }>;

/** What a switch needs from the backfill. */
export interface FoldFor {
  /** Features that begin with the switch. */
  readonly features: readonly Feature[];
  /** Operations that still wait for their login at the switch: they are decided after it, and counted then. */
  readonly waiting: ReadonlySet<number>;
}

/** Computes the backfill from the history that a switch names, up to its record. */
export type Folding = (record: PolicyRecord, of: FoldFor) => Promise<EngineState>;

/**
 * The first of these records that the engine can step together. A policy switch is stepped alone: its backfill is
 * computed when all records before it are stepped.
 */
export async function together(
  records: readonly EngineRecord[],
  state: EngineState,
  fold: Folding,
): Promise<readonly EngineRecord[]> {
  const [first] = records;
  if (first?.kind === 'policy') return [await withFold(state, first, fold)];
  const place = records.findIndex(({ kind }) => kind === 'policy');
  return place < 0 ? records : records.slice(0, place);
}

/** The record of a policy switch with its computed backfill. */
async function withFold(state: EngineState, record: PolicyRecord, fold: Folding): Promise<PolicyRecord> {
  if (record.history === undefined) return record;
  const features = newFeatures(state, record.policy);
  if (features.length === 0) return record;
  const waiting = stillWaiting(state, record.logTimeMs);
  return { ...record, folded: await fold(record, { features, waiting }) };
}

/** Computes the whole backfill from the beginning of the history: for replays, and after a crash. */
export function foldAtOnce(deps: FoldDeps, workspace: Workspace, quarantined: ReadonlySet<number>): Folding {
  return async (record, { features, waiting }) => {
    const fold = new HistoryFold(deps, {
      workspace,
      policy: record.policy,
      features,
      history: record.history!,
      quarantined,
    });
    return fold.end(record.offset, waiting);
  };
}
