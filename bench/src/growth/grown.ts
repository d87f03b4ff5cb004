import { assert } from '@ringfence/contract';
import { type EngineRecord, restoreState } from '@ringfence/engine';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { type StoredState, withStore } from '../engine/stored-state.ts';
import { policyFiles } from '../product/bench-policy.ts';
import { stepSome } from '../engine/step-some.ts';
import type { TurnOver } from '../measure/in-thread.ts';
import { Clients } from './clients.ts';
import { runClients, type RunResult } from './run.ts';

export interface GrownOptions {
  readonly clients: number;
  readonly events: number;
  readonly seed: number;
}

export interface Grown extends Omit<RunResult, 'nextRecord'> {
  readonly perSecond: number;
  readonly stored: number;
  readonly restartMs: number;
}

/** Steps the events of this many clients, one turn at a time, and restarts from the stored state. */
export function grown(of: GrownOptions, print: (text: string) => void, turnOver: TurnOver): Promise<Grown> {
  return withStore(async (stored) => {
    const policy = await loaded();
    const { nextRecord, ...run } = await runClients({
      ...of,
      clients: new Clients(of),
      policy,
      stored,
      print,
      turnOver,
    });
    const perSecond = (of.events * 1_000) / run.cpuMs;
    return { ...run, perSecond, stored: stored.entityCount, restartMs: await restart(stored, nextRecord) };
  });
}

/** Time from an empty memory to the first decision: policy, globals, and the entities that it needs. */
async function restart(stored: StoredState, nextRecord: EngineRecord): Promise<number> {
  const began = performance.now();
  assert(stored.last !== undefined, 'a checkpoint was stored');
  const state = restoreState(stored.last.globals, await loaded(), { complete: false });
  stepSome(state, [nextRecord], { from: 0, read: (keys) => stored.read(keys) });
  return performance.now() - began;
}

async function loaded(): Promise<Policy> {
  const result = loadPolicy(await policyFiles('clients'));
  assert(result.ok, 'the policy checks');
  return result.policy;
}
