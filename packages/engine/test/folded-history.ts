import type { Policy } from '@ringfence/policy';
import { newFeatures } from '../src/deciding/step-control.ts';
import type { EntityBounds } from '../src/features/store/layout.ts';
import type { EngineRecord } from '../src/record.ts';
import { type EngineState, newState } from '../src/state.ts';
import { leaveWaiting, step, stillWaiting } from '../src/step.ts';

/** What a policy's new features keep of a history, as the host computes it for the switch. */
export function foldedHistory(of: {
  readonly policy: Policy;
  /** The history, in order. */
  readonly records: readonly EngineRecord[];
  /** The state that is about to step the switch, and the log time of the switch. */
  readonly live: EngineState;
  readonly switchMs: number;
  readonly bounds?: EntityBounds;
}): EngineState {
  const { policy, records, live, switchMs, bounds } = of;
  const state = newState({ complete: true, offset: -2, ...(bounds === undefined ? {} : { bounds }) });
  leaveWaiting(state, stillWaiting(live, switchMs));
  const bare = { ...policy, rules: [], ratios: [], features: newFeatures(live, policy) };
  step(state, { kind: 'policy', offset: -1, logTimeMs: 0 as never, version: 1, policy: bare });
  for (const record of records) if (record.kind !== 'policy') step(state, record);
  return state;
}
