import { Problem } from '@ringfence/contract';
import type { Action, Decision, EngineRecord } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { type Supposed, supposedRecord } from './hypothetical-event.ts';
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

export interface DecideThenDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'find'>;
}

/** An event that is asked about. */
export interface AskedThen {
  readonly offset: number;
  /** Left out: the event as it came. */
  readonly supposed?: Supposed | undefined;
}

/** How an event comes out as of its own moment. Plain values. */
export interface DecidedThen {
  readonly decision: Decision;
  readonly actions: readonly Action[];
  /** Conditions of the rules that fired. */
  readonly fired: readonly FiredConditions[];
  readonly unfired: readonly UnfiredRule[];
  /** Records that were stepped for it; events among them that can be read no more, as their clients were erased. */
  readonly records: number;
  readonly unreadable: number;
  /** What came out otherwise than it was recorded. Of a supposed event nothing is compared. */
  readonly differences: readonly Change[];
}

/** The event is decided: nothing behind it is stepped. */
class Decided extends Error {
  override readonly name = 'Decided';
}

/**
 * Decides one event again on what was known at its own moment: the log is stepped from where it is kept on, on the live
 * engine's own path, up to the decision. Writes nothing; old records are kept meanwhile.
 *
 * @param onProgress called after each thousand records; what it throws ends the work
 * @throws Problem `event.invalid` for a supposed event that the door would refuse, `state.conflict` for one that is not
 *   decided yet or never will be
 */
export async function decideThen(
  deps: DecideThenDeps,
  of: { readonly workspace: Workspace; readonly asked: AskedThen },
  onProgress: (done: number, total: number) => void,
): Promise<DecidedThen> {
  const { workspace, asked } = of;
  const instead = await insteadOf(deps, workspace, asked);
  return whileAllIsKept(deps.pool, () => stepTo(deps, { workspace, asked, instead }, onProgress), personWaitsMsMax);
}

interface Wanted {
  readonly workspace: Workspace;
  readonly asked: AskedThen;
  readonly instead: (record: EngineRecord) => EngineRecord;
}

async function stepTo(
  deps: DecideThenDeps,
  { workspace, asked, instead }: Wanted,
  onProgress: (done: number, total: number) => void,
): Promise<DecidedThen> {
  const { offset } = asked;
  const start = await readStart(deps.pool, workspace);
  const from = start?.nextOffset ?? 0;
  let fired: readonly FiredConditions[] = [];
  let unfired: readonly UnfiredRule[] = [];
  let found: Conclusion | undefined;
  let records = 0;
  let unreadable = 0;
  try {
    await replay({ ...deps, policies: new PolicyCache(deps.pool) }, workspace, {
      start,
      end: await readDecidedTo(deps.pool, workspace.id),
      quarantined: await readQuarantined(deps.pool, workspace.id),
      instead,
      onDecided: (state, decision) => {
        if (decision.offset !== offset) return;
        fired = firedConditions(state, decision);
        unfired = unfiredRules(state, decision);
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
  return { ...found, fired, unfired, records, unreadable, differences };
}

/** The supposed event stands where the real one stood. */
async function insteadOf(
  deps: Pick<DecideThenDeps, 'subjects'>,
  workspace: Workspace,
  { offset, supposed }: AskedThen,
): Promise<Wanted['instead']> {
  if (supposed === undefined) return (record) => record;
  const asked = await supposedRecord(deps, workspace, supposed);
  return (record) => (record.offset === offset && record.kind === 'event' ? { ...record, ...asked } : record);
}

async function differencesOf(
  { pool, subjects }: DecideThenDeps,
  workspace: Workspace,
  decided: Conclusion,
): Promise<readonly Change[]> {
  const { offset } = decided.decision;
  const recorded = (await new RecordedDecisions(pool, subjects).read(workspace, [offset])).get(offset);
  return recorded === undefined ? [] : changesOf(recorded, decided, workspace.secrets.index);
}
