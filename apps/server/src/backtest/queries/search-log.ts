import { Problem } from '@ringfence/contract';
import { sessionGraceMsMax } from '@ringfence/engine/limits';
import type { EventLog } from '@ringfence/log';
import {
  factDefinition,
  type Policy,
  type PolicyFile,
  type Read,
  searchFacts,
  type SearchPolicy,
  searchPolicy,
} from '@ringfence/policy';
import type { Pool } from 'pg';
import { BacktestWorker } from '../backtests/backtest-worker.ts';
import { decidedRange, LogSource } from '../backtests/log-source.ts';
import { personWaitsMsMax, whileAllIsKept } from '../../decide/retention/retention-lock.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { readPolicyFiles } from '../../policies/policy-store.ts';
import { policyErrorLine } from '../../policies/policy-work.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type Found, SearchTally } from './search-tally.ts';

export interface SearchLogDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'head'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** The search: a condition, for events from `fromMs` to before `toMs`. */
export interface SearchedFor {
  readonly condition: string;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

export interface SearchHooks {
  /** Called after each batch; `found` summarizes the events found so far. An error ends the search. */
  readonly onProgress: (done: number, total: number, found: () => Found) => void;
}

export interface Searched {
  readonly found: Found;
  /** Remarks for the reader. */
  readonly notes: readonly string[];
}

/**
 * The live policy with the condition appended as a rule.
 *
 * @throws Problem `request.invalid` for an invalid condition, with positions in its text; `policy.invalid` when this
 * release refuses the policy
 */
export async function policyWith(pool: Pool, workspace: Workspace, condition: string): Promise<SearchPolicy> {
  const { policyVersion } = workspace;
  const files: readonly PolicyFile[] =
    policyVersion === undefined ? [] : await readPolicyFiles(pool, workspace.id, policyVersion);
  const result = searchPolicy(files, condition);
  if (result.ok) return result.search;
  if (result.wrong === 'policy') {
    throw new Problem('policy.invalid', result.errors.map(policyErrorLine).join('\n'));
  }
  throw new Problem('request.invalid', 'The condition is not valid.', {
    errors: result.errors.map(({ line, column, message, suggestion = '' }) => ({
      pointer: '/condition',
      detail: `${line}:${column}: ${message}`,
      expected: suggestion,
    })),
  });
}

/**
 * Finds the events of the log for which a condition is true. Steps the log from its start like a backtest of the live
 * policy, with the condition as an additional rule in shadow: so features and sessions are as of each event.
 *
 * @throws Problem `request.invalid`, `policy.invalid`
 */
export async function searchLog(
  deps: SearchLogDeps,
  of: { readonly workspace: Workspace; readonly wanted: SearchedFor },
  hooks: SearchHooks,
): Promise<Searched> {
  const search = await policyWith(deps.pool, of.workspace, of.wanted.condition);
  return whileAllIsKept(deps.pool, () => searchKept(deps, { ...of, search }, hooks), personWaitsMsMax);
}

async function searchKept(
  deps: SearchLogDeps,
  of: { readonly workspace: Workspace; readonly wanted: SearchedFor; readonly search: SearchPolicy },
  { onProgress }: SearchHooks,
): Promise<Searched> {
  const { workspace, wanted, search } = of;
  const { fromMs, toMs = Infinity } = wanted;
  const source = new LogSource(deps, workspace, await decidedRange(deps, workspace.id));
  const span = await spanOf(deps, workspace.id, wanted);
  const tally = new SearchTally({ rule: search.rule, indexKey: workspace.secrets.index, spanMs: span });
  const lane = new BacktestWorker({
    policy: showing(search),
    version: workspace.policyVersion ?? 1,
    fromMs: fromMs ?? 0,
    toMs,
    isChained: false,
    onFired: (event, record) => tally.add(event, record),
  });
  let done = 0;
  for await (const { offset, logTimeMs, records, bytes } of source.batches()) {
    // An operation before the end may wait this long for its login, and be decided after it.
    if (logTimeMs >= toMs + sessionGraceMsMax) break;
    const { settings, labelsAtOnce } = source;
    if (done === 0) lane.begin({ offset, logTimeMs, settings, labelsAtOnce });
    lane.take(bytes);
    done += records;
    onProgress(done, source.total, () => tally.found());
  }
  return { found: tally.found(), notes: source.notes() };
}

/** Makes the rule record the facts for the counts, even if its condition does not read them. */
function showing({ policy, rule }: SearchPolicy): Policy {
  const known = new Set(rule.reads.map(({ path }) => path));
  const more = searchFacts
    .filter((path) => !known.has(path))
    .map((path): Read => ({ path, slot: policy.slots.of(path)!, type: factDefinition(path)!.type }));
  const shown = { ...rule, reads: [...rule.reads, ...more] };
  return { ...policy, rules: policy.rules.map((one) => (one === rule ? shown : one)) };
}

/** The period to search, within what the log contains, in milliseconds. */
async function spanOf({ log }: SearchLogDeps, workspaceId: string, wanted: SearchedFor): Promise<number> {
  const { start, end } = await log.head(workspaceId);
  const [[first], [last]] = await Promise.all([
    log.read(workspaceId, start, 1),
    log.read(workspaceId, Math.max(start, end - 1), 1),
  ]);
  if (first === undefined || last === undefined) return 0;
  const fromMs = Math.max(first.logTimeMs, wanted.fromMs ?? 0);
  return Math.max(0, Math.min(last.logTimeMs, wanted.toMs ?? Infinity) - fromMs);
}
