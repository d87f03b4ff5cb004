import { randomInt } from 'node:crypto';
import { type EpochMs, Problem } from '@ringfence/contract';
import {
  type Action,
  type Decision,
  type Effect,
  type EngineRecord,
  type EngineState,
  readHead,
  restoreState,
  step,
  type SuppliedEntity,
  supply,
} from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { PostgresEntityStates } from '../../decide/entity-states/postgres-entity-states.ts';
import { readFound } from '../../decide/partition-records.ts';
import { inSnapshot } from '../../platform/database/transactions.ts';
import { policiesOf } from '../../policies/policy-cache.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type HypotheticalEvent, hypotheticalRecord } from './hypothetical-event.ts';
import { type UnfiredRule, unfiredRules } from './unfired-rules.ts';

interface WhatIfDeps {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'find' | 'bySubject'>;
  readonly now: () => number;
}

export interface WhatIf {
  readonly decision: Decision;
  readonly actions: readonly Action[];
  /** Rules for this kind of event that would not fire, and why. */
  readonly unfired: readonly UnfiredRule[];
}

/**
 * Decides a hypothetical event that would arrive now, with the live policy and engine, on the state of the last
 * checkpoint, which is some seconds old. Stores nothing and sends nothing.
 *
 * @throws Problem `event.invalid` for an event that ingest would refuse, `state.conflict` before the first checkpoint
 */
export async function whatIf(deps: WhatIfDeps, workspace: Workspace, supposed: HypotheticalEvent): Promise<WhatIf> {
  const asked = await hypotheticalRecord(deps, workspace, supposed);
  return inSnapshot(deps.pool, (client) => decided(deps, { workspace, asked, client }));
}

/** Reads one snapshot, in which no checkpoint replaces another. */
async function decided(
  deps: WhatIfDeps,
  {
    workspace,
    asked,
    client,
  }: {
    readonly workspace: Workspace;
    readonly asked: Awaited<ReturnType<typeof hypotheticalRecord>>;
    readonly client: ClientBase;
  },
): Promise<WhatIf> {
  const states = new PostgresEntityStates(workspace, 'checkpoint', deps.subjects);
  const unfired = new Map<number, readonly UnfiredRule[]>();
  const state = await restoreLast({ deps, client, workspace, states }, (state, decision) => {
    unfired.set(decision.offset, unfiredRules(state, decision));
  });
  const logTimeMs = Math.max(deps.now(), state.logTimeMs) as EpochMs;
  const load: Load = (keys) => states.load(keys, client);
  // An operation without a login is decided immediately.
  const settings = { ...state.settings, sessionGraceMs: 0 };
  await stepped(state, { kind: 'settings', offset: state.offset + 1, logTimeMs, settings }, load);
  const record = { ...asked, offset: state.offset + 1, logTimeMs };
  const effects = await stepped(state, record, load);
  const own = effects.filter((effect) => 'offset' in effect && effect.offset === record.offset);
  const decision = own.find((effect) => effect.kind === 'decision');
  if (decision === undefined)
    throw new Problem('state.conflict', 'The engine would wait for the login of this operation.');
  return {
    decision,
    actions: own.filter((effect) => effect.kind === 'action'),
    unfired: unfired.get(record.offset) ?? [],
  };
}

async function restoreLast(
  {
    deps,
    client,
    workspace,
    states,
  }: {
    readonly deps: Pick<WhatIfDeps, 'pool'>;
    readonly client: ClientBase;
    readonly workspace: Workspace;
    readonly states: PostgresEntityStates;
  },
  onDecided: (state: EngineState, decision: Decision) => void,
): Promise<EngineState> {
  const { checkpoint } = await readFound(client, workspace.id);
  if (checkpoint === undefined) {
    throw new Problem('state.conflict', 'The engine has not written its state yet. Try again in some seconds.');
  }
  const globals = states.openState(checkpoint);
  const { policyVersion } = readHead(globals);
  const policy = policyVersion === 0 ? undefined : await policiesOf(deps.pool).policy(workspace.id, policyVersion);
  const hashKey = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;
  return restoreState(globals, policy, { complete: await states.isEmpty(client), hashKey, onDecided });
}

type Load = (keys: readonly string[]) => Promise<readonly SuppliedEntity[]>;

async function stepped(state: EngineState, record: EngineRecord, load: Load): Promise<readonly Effect[]> {
  for (;;) {
    const done = step(state, record);
    if (done.kind === 'done') return done.effects;
    supply(state, await load(done.keys));
  }
}
