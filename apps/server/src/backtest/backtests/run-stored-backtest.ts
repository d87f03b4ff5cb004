import { Problem } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import { loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';
import type { Pool } from 'pg';
import { findSegment } from '../../history/segments.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { whileAllIsKept } from '../../decide/retention/retention-lock.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { readPolicyFiles } from '../../policies/policy-store.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type VariedParam, withParam } from '../../policies/vary-param.ts';
import { rulesAsLive } from './as-live.ts';
import { type Backtest, endBacktest, finishBacktest, readBacktest, readCandidate } from './backtest-rows.ts';
import { sealExamples } from './example-detail.ts';
import { HistorySource } from '../../history/history-source.ts';
import { decidedRange, LogSource } from './log-source.ts';
import { presentLists } from './present-lists.ts';
import type { BacktestHooks, BacktestPlan, TriedPolicy } from './backtest-plan.ts';
import { type BacktestOutcome, runBacktest } from './run-backtest.ts';
import { Cancelled, Pulse } from './pulse.ts';
import { runVaried, variedPasses } from './run-varied.ts';
import type { BacktestSource } from './source.ts';
import { whyItFailed } from './why-it-failed.ts';

export interface BacktestDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'head'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** A backtest that was started. */
export interface StartedBacktest {
  readonly workspace: Workspace;
  readonly id: number;
  readonly scores?: BacktestHooks['scores'];
}

/**
 * Runs a backtest that was started, and stores its result or its error.
 *
 * @param onProgress called after each batch; when it returns false, the backtest is cancelled
 * @returns the state in which it ended
 * @throws unexpected errors, after recording them
 */
export async function runStoredBacktest(
  deps: BacktestDeps,
  of: StartedBacktest,
  onProgress: (done: number, total: number) => boolean,
): Promise<Exclude<Backtest['state'], 'running'>> {
  const { workspace, id, scores } = of;
  const pulse = new Pulse(deps.pool, id);
  const note = (done: number, total: number): void => {
    pulse.progress = { done, total };
    if (!onProgress(done, total) || pulse.isCancelled) throw new Cancelled();
  };
  try {
    const backtest = await readBacktest(deps.pool, workspace.id, id);
    const isLog = backtest.history === undefined;
    const run = async (): Promise<Ran> => {
      const plan = await planOf(deps, workspace, backtest);
      return runAll(plan, backtest.vary, { onProgress: note, scores });
    };
    const { plan, total, result, examples } = isLog ? await whileAllIsKept(deps.pool, run) : await run();
    const stored = await sealExamples(
      deps,
      {
        workspace,
        backtest: id,
        isLog,
        policyOf: (list) => (list === 'noLongerFlagged' ? plan.live! : plan.candidate).policy,
      },
      examples,
    );
    await finishBacktest(deps.pool, id, { result, examples: stored, total });
    return 'done';
  } catch (error) {
    if (error instanceof Cancelled) {
      await endBacktest(deps.pool, id, { state: 'cancelled' });
      return 'cancelled';
    }
    await endBacktest(deps.pool, id, { state: 'failed', error: whyItFailed(error) });
    if (error instanceof OperatorError || error instanceof Problem) return 'failed';
    throw error;
  } finally {
    pulse.stop();
  }
}

interface Ran extends BacktestOutcome {
  readonly plan: BacktestPlan;
  /** Records processed, in all passes. */
  readonly total: number;
}

/** Runs the candidate and then, if a parameter is varied, each of its values. */
async function runAll(
  plan: BacktestPlan,
  vary: VariedParam | undefined,
  { onProgress: note, scores }: BacktestHooks,
): Promise<Ran> {
  const { total: records } = plan.source;
  const total = records * (1 + variedPasses(vary?.values.length ?? 0));
  const { result, examples } = await runBacktest(plan, { onProgress: (done) => note(done, total), scores });
  if (vary === undefined) return { plan, total, result, examples };
  const { files, version, asLive } = plan.candidate;
  const variants = vary.values.map((value) => ({
    ...tried(withParam(files, vary.param, value), version),
    asLive,
    value,
  }));
  const onProgress = (done: number): void => note(records + done, total);
  const varied = await runVaried(plan, { param: vary.param, variants }, { onProgress });
  return { plan, total, result: { ...result, varied }, examples };
}

async function planOf(deps: BacktestDeps, workspace: Workspace, backtest: Backtest): Promise<BacktestPlan> {
  const { id, against, fromMs = 0, toMs = Infinity } = backtest;
  const { files, decidesAs } = await readCandidate(deps.pool, id);
  const live =
    against === undefined ? undefined : tried(await readPolicyFiles(deps.pool, workspace.id, against), against);
  const asWritten = tried(files, decidesAs);
  const candidate = { ...asWritten, asLive: rulesAsLive(asWritten.policy, live?.policy, backtest.asLive) };
  const policies = [candidate, live].flatMap((one) => one?.policy ?? []);
  return {
    source: await sourceOf(deps, { workspace, policies }, backtest),
    candidate,
    live,
    fromMs,
    toMs,
  };
}

/** @throws OperatorError for a stored version that this release refuses */
function tried(files: readonly PolicyFile[], version: number): TriedPolicy {
  const loaded = loadPolicy(files);
  if (loaded.ok) return { files, policy: loaded.policy, version, asLive: [] };
  const first = loaded.errors[0]!;
  throw new OperatorError(
    `Policy version ${version} is not valid in this release: ${first.file}:${first.line}: ${first.message}.`,
    'Test its corrected files, or compare against nothing.',
  );
}

/** The history of this name, or the live log; with the present items of live lists that the policies read. */
export async function sourceOf(
  deps: BacktestDeps,
  { workspace, policies }: { readonly workspace: Workspace; readonly policies: readonly Policy[] },
  { history, startedAtMs: nowMs }: Pick<Backtest, 'history' | 'startedAtMs'>,
): Promise<BacktestSource> {
  if (history !== undefined) {
    const segment = await findSegment(deps.pool, workspace.id, history);
    const lists = await presentLists(deps, workspace, { policies, nowMs });
    return new HistorySource({ ...deps, lists }, workspace, segment);
  }
  const range = await decidedRange(deps, workspace.id);
  const [first] = range.start === 0 ? [] : await deps.log.read(workspace.id, range.start, 1);
  const lists = first && (await presentLists(deps, workspace, { policies, nowMs, beforeMs: first.logTimeMs }));
  return new LogSource(deps, workspace, { ...range, lists });
}
