import { newFeatures } from '../../src/deciding/step-control.ts';
import type { EngineRecord } from '../../src/record.ts';
import { type EngineState, newState } from '../../src/state.ts';
import { leaveWaiting, step, stillWaiting } from '../../src/step.ts';
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
  const features = newFeatures(live, record.policy);
  if (features.length === 0) return record;
  const folded = newState({ complete: true, bounds, offset: -2 });
  leaveWaiting(folded, stillWaiting(live, record.logTimeMs));
  const { policy, version, history } = record;
  const fromMs = before[history.fromOffset]!.logTimeMs;
  const start = { offset: -1, logTimeMs: fromMs } as const;
  step(folded, { ...start, kind: 'policy', version, policy: { ...policy, rules: [], ratios: [], features } });
  for (const past of before.slice(history.fromOffset)) if (past.kind !== 'policy') step(folded, past);
  return { ...record, folded };
}
