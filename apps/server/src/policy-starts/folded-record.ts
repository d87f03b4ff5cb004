import { type EngineRecord, type EngineState, newFeatures } from '@ringfence/engine';
import type { Feature } from '@ringfence/policy';
import type { Workspace } from '../workspaces/workspace.ts';
import { type FoldDeps, HistoryFold } from './history-fold.ts';

export type PolicyRecord = Extract<EngineRecord, { kind: 'policy' }>;

/** Folds the history that a switch names, up to its record. */
export type Folding = (record: PolicyRecord, features: readonly Feature[]) => Promise<EngineState>;

/**
 * The first of these records as the engine takes them, for it to step together. A switch of policies goes by itself:
 * what it begins with is folded when all before it is stepped.
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

/** The switch to a policy as the engine takes it: with what its new features keep of history. */
async function withFold(state: EngineState, record: PolicyRecord, fold: Folding): Promise<PolicyRecord> {
  if (record.history === undefined) return record;
  const features = newFeatures(state, record.policy);
  return features.length === 0 ? record : { ...record, folded: await fold(record, features) };
}

/** Folds at once, from the beginning of the history: for replays, and after a crash. */
export function foldAtOnce(deps: FoldDeps, workspace: Workspace, quarantined: ReadonlySet<number>): Folding {
  return async (record, features) => {
    const fold = new HistoryFold(deps, {
      workspace,
      policy: record.policy,
      features,
      history: record.history!,
      quarantined,
    });
    await fold.advance(record.offset);
    return fold.state;
  };
}
