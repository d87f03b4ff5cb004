import { Problem } from '@ringfence/contract';
import { type Action, type Decision, type EngineRecord, explainModels } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { ModelExplanation } from '@ringfence/policy';
import type { Pool } from 'pg';
import { type HypotheticalEvent, hypotheticalRecord } from './hypothetical-event.ts';
import { type FiredConditions, firedConditions, type UnfiredRule, unfiredRules } from './unfired-rules.ts';
import type { Conclusion } from '../../decide/batch.ts';
import { readDecidedTo, readQuarantined } from '../../decide/partition-records.ts';
import { PolicyCache } from '../../policies/policy-cache.ts';
import { replay } from '../../decide/replay.ts';
import { type Change, changesOf } from '../replay/compare-decision.ts';
import { RecordedDecisions } from '../replay/recorded-decisions.ts';
import { readStart } from '../../decide/base-rows.ts';
import { personWaitsMsMax, whileAllIsKept } from '../../decide/retention/retention-lock.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

export interface RedecideDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'find'>;
}

/** The event to decide again. */
export interface RedecideRequest {
  readonly offset: number;
  /** Omitted for the original event. */
  readonly supposed?: HypotheticalEvent | undefined;
}

/** The decision at the event's own time. Plain values. */
export interface Redecided {
  readonly decision: Decision;
  readonly actions: readonly Action[];
  /** Conditions of the rules that fired. */
  readonly fired: readonly FiredConditions[];
  readonly unfired: readonly UnfiredRule[];
  /** Models that were evaluated for the event. */
  readonly models: readonly ModelExplanation[];
  /** Records stepped for it; how many of them are unreadable, because their clients were erased. */
  readonly records: number;
  readonly unreadable: number;
  /** Differences from the recorded decision. For a hypothetical event nothing is compared. */
  readonly differences: readonly Change[];
}

/** Thrown once the event is decided: later records are not stepped. */
class Decided extends Error {
  override readonly name = 'Decided';
}

/**
 * Decides one event again with what was known at its own time: steps the log from its start up to the decision, with
 * the live engine's code. Writes nothing; old records are not removed meanwhile.
 *
 * @param onProgress called after each thousand records; an error ends the work
 * @throws Problem `event.invalid` for a hypothetical event that ingest would refuse, `state.conflict` for one that is
 *   not decided yet or never will be
 */
export async function redecide(
  deps: RedecideDeps,
  of: { readonly workspace: Workspace; readonly asked: RedecideRequest },
  onProgress: (done: number, total: number) => void,
): Promise<Redecided> {
  const { workspace, asked } = of;
  const instead = await insteadOf(deps, workspace, asked);
  return whileAllIsKept(deps.pool, () => stepTo(deps, { workspace, asked, instead }, onProgress), personWaitsMsMax);
}

interface Wanted {
  readonly workspace: Workspace;
  readonly asked: RedecideRequest;
  readonly instead: (record: EngineRecord) => EngineRecord;
}

async function stepTo(
  deps: RedecideDeps,
  { workspace, asked, instead }: Wanted,
  onProgress: (done: number, total: number) => void,
): Promise<Redecided> {
  const { offset } = asked;
  const start = await readStart(deps, workspace);
  const from = start?.nextOffset ?? 0;
  let fired: readonly FiredConditions[] = [];
  let unfired: readonly UnfiredRule[] = [];
  let models: readonly ModelExplanation[] = [];
  let currency: string | undefined;
  let found: Conclusion | undefined;
  let records = 0;
  let unreadable = 0;
  try {
    await replay({ ...deps, policies: new PolicyCache(deps.pool) }, workspace, {
      start,
      end: await readDecidedTo(deps.pool, workspace.id),
      quarantined: await readQuarantined(deps.pool, workspace.id),
      instead: (record) => {
        const asked = instead(record);
        if (asked.offset === offset && asked.kind === 'event')
          currency = asked.event.kind === 'operation' ? asked.event.order?.currency : undefined;
        return asked;
      },
      onDecided: (state, decision) => {
        if (decision.offset !== offset) return;
        fired = firedConditions(state, decision);
        unfired = unfiredRules(state, decision);
        models = explainModels(state, decision, currency);
      },
      onBatch: ({ records: stepped, conclusions }, { nextOffset }) => {
        records += stepped.length;
        unreadable += stepped.filter(({ kind }) => kind === 'unreadable').length;
        found = conclusions.find(({ decision }) => decision.offset === offset);
        if (found !== undefined) throw new Decided();
        onProgress(Math.min(nextOffset, offset) - from, offset - from + 1);
      },
    });
  } catch (error) {
    if (!(error instanceof Decided)) throw error;
  }
  if (found === undefined) throw new Problem('state.conflict', 'The engine has not decided this event.');
  const differences = asked.supposed === undefined ? await differencesOf(deps, workspace, found) : [];
  return { ...found, fired, unfired, models, records, unreadable, differences };
}

/** Replaces the original event by the hypothetical one. */
async function insteadOf(
  deps: Pick<RedecideDeps, 'subjects'>,
  workspace: Workspace,
  { offset, supposed }: RedecideRequest,
): Promise<Wanted['instead']> {
  if (supposed === undefined) return (record) => record;
  const asked = await hypotheticalRecord(deps, workspace, supposed);
  return (record) => (record.offset === offset && record.kind === 'event' ? { ...record, ...asked } : record);
}

async function differencesOf(
  { pool, subjects }: RedecideDeps,
  workspace: Workspace,
  decided: Conclusion,
): Promise<readonly Change[]> {
  const { offset } = decided.decision;
  const recorded = (await new RecordedDecisions(pool, subjects).read(workspace, [offset])).get(offset);
  return recorded === undefined ? [] : changesOf(recorded, decided, workspace);
}
