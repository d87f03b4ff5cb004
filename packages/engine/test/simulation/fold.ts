import { newFeatures } from '../../src/deciding/step-control.ts';
import type { EngineRecord } from '../../src/record.ts';
import type { EngineState } from '../../src/state.ts';
import { foldedHistory } from '../folded-history.ts';
import { bounds } from './bounds.ts';

/**
 * The record as its host opens it: a policy whose new features begin with history comes with their backfill, which the
 * switch consumes.
 *
 * @param before all records before it
 * @param live the state that is about to step it
 */
export function withFold(record: EngineRecord, before: readonly EngineRecord[], live: EngineState): EngineRecord {
  if (record.kind !== 'policy' || record.history === undefined) return record;
  const { policy, history, logTimeMs: switchMs } = record;
  if (newFeatures(live, policy).length === 0) return record;
  const records = before.slice(history.fromOffset);
  return { ...record, folded: foldedHistory({ policy, records, live, switchMs, bounds }) };
}
