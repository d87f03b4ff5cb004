import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type AsLive, asLiveChoices } from '../../backtest/backtests/as-live.ts';
import { type BacktestWithResult, readBacktest, readExamples } from '../../backtest/backtests/backtest-rows.ts';
import { openExamples } from '../../backtest/backtests/example-detail.ts';
import { shownResult } from '../../backtest/backtests/result.ts';
import { runStoredBacktest, type StartedBacktest } from '../../backtest/backtests/run-stored-backtest.ts';
import { type ScoreChoice, scoreColumns, scoreLines } from '../../backtest/backtests/scored-event.ts';
import { startBacktest } from '../../backtest/backtests/start-backtest.ts';
import { EventFile, type WrittenEvents } from '../../backtest/event-file.ts';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { labelOf } from '../../config/reconcile.ts';
import { loadPolicy } from '@ringfence/policy';
import type { VaryRequest } from '../../policies/vary-param.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, exitCodes, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { instantOf } from '../instant-option.ts';
import { authorOf } from '../operating-user.ts';
import { type OpenInstallation, withWorkspace } from '../open-installation.ts';
import { printBacktest } from '../print-backtest.ts';
import { printResult } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

interface BacktestOptions extends WorkspaceOptions {
  readonly policy: string;
  readonly history?: string;
  readonly from?: string;
  readonly to?: string;
  readonly against: string;
  readonly asLive?: string | true;
  readonly vary?: string;
  readonly examples?: boolean;
  readonly scores?: string;
  readonly score: string;
  readonly author?: string;
}

export function addBacktestCommand({ program, io, fail }: Shell): void {
  const command = options(onWorkspace(program.command('backtest')));
  command.action((given: BacktestOptions) =>
    withWorkspace(io, given, async (installation, workspace) => {
      const scores = scoreFileOf(io, given);
      const id = await start(io, installation, { given, workspace });
      const { state, written } = await runWithScores(io, installation, {
        of: { id, workspace },
        scores,
        choice: choiceOf(io, given),
      });
      const backtest = await readBacktest(installation.pool, workspace.id, id);
      if (state !== 'done') {
        fail(exitCodes.failed);
        io.complain(
          state === 'cancelled' ? 'Stopped. No result was kept.\n' : `${backtest.error ?? 'The backtest failed.'}\n`,
        );
        return;
      }
      const stored = await readExamples(installation.pool, id);
      const examples = await openExamples(installation, { workspace, backtest: id }, stored);
      const human = printBacktest({
        workspace: labelOf(workspace),
        backtest,
        examples: given.examples ? examples : [],
        scores: written,
      });
      printResult(io, given, { json: { ...withUnmatched(backtest), examples, scores: written }, human });
    }),
  );
  about(command, {
    summary: 'Test a policy on history: what would it have decided?',
    details:
      'Decides every event of an imported history, or of the live log, again with this policy, on the production engine. Nothing is sent. Reports the matches of each rule, how much labelled fraud was caught, how many legitimate clients were hit, the money involved, and the differences from the live policy. The service can keep running. The same input gives the same result, which is stored. Examples show personal data: do not store the output. --scores also writes each counted event with its score, as CSV: offset, client, at, label, score. The client is its random id, which leads to the person only through this installation, until it is erased; keep the file as you keep personal data.',
    examples: [
      ['ringfence backtest --policy policies/next --history 2026 -w acme/production', 'on an imported year'],
      ['ringfence backtest --policy policies/next --from 2026-11-01 -w acme', 'on live events since then'],
      ['ringfence backtest --policy policies/next --history 2026 --as-live new', 'new rules in shadow count as live'],
      ['ringfence backtest --policy policies/next --vary largePayment=500,1000,2000', 'with each of these values'],
      ['ringfence backtest --policy policies/next --history 2026 --examples', 'with example events and reasons'],
      ['ringfence backtest --policy policies/next --history 2026 --scores scores.csv', 'with the score of each event'],
    ],
    failure: 'refused, failed or stopped',
  });
}

function withUnmatched({ result, ...backtest }: BacktestWithResult): object {
  return result === undefined ? backtest : { ...backtest, result: shownResult(result) };
}

function options(command: Command): Command {
  return command
    .requiredOption('--policy <folder>', 'folder of YAML files: the candidate')
    .option('--history <name>', 'an imported history (default: the live log)')
    .option('--from <time>', 'count events from this time on; earlier ones only fill the windows')
    .option('--to <time>', 'count events before this time')
    .option('--against <policy>', 'compare with: live, or nothing', 'live')
    .option('--as-live [rules]', 'run rules in shadow as if live, so that they count: all (default), or new')
    .option('--vary <name=values>', 'compare values of a parameter: largePayment=500,1000,2000 (2 to 16)')
    .option('--examples', 'show example events of each rule and each change, with reasons')
    .option('--scores <file>', 'write the score of each event to a CSV file; replaces the file once it is complete')
    .option(
      '--score <name>',
      'what --scores writes: rules (the sum of their scores), or model.NAME.p or .score',
      'rules',
    )
    .option('--author <name>', 'who runs the backtest (default: the user of this shell)');
}

async function start(
  io: CliIo,
  { pool }: OpenInstallation,
  { given, workspace }: { readonly given: BacktestOptions; readonly workspace: Workspace },
): Promise<number> {
  const { against, history, from, to } = given;
  if (against !== 'live' && against !== 'nothing') {
    throw new UsageError(`--against: expected live or nothing, found "${against}"`);
  }
  const [fromMs, toMs] = [instantOf('--from', from), instantOf('--to', to)];
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) {
    throw new UsageError(`--to: expected a time after ${from}, found "${to}"`);
  }
  return startBacktest(pool, workspace, {
    candidate: { files: readPolicyFolder(resolve(io.folder, given.policy)) },
    // A workspace without an active policy has nothing to compare with.
    against: workspace.policyVersion === undefined ? 'nothing' : against,
    history,
    fromMs,
    toMs,
    asLive: asLiveOf(given.asLive),
    vary: given.vary === undefined ? undefined : varyOf(given.vary),
    author: authorOf(io, given),
  });
}

function asLiveOf(given: string | true | undefined): AsLive {
  if (given === undefined) return 'none';
  const chosen = given === true ? 'all' : asLiveChoices.find((one) => one === given);
  if (chosen !== undefined) return chosen;
  throw new UsageError(`--as-live: expected all or new, found "${given}"`);
}

function varyOf(given: string): VaryRequest {
  const [, param, listed] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  const values = (listed ?? '').split(',').map((value) => (value.trim() === '' ? NaN : Number(value)));
  if (param !== undefined && values.every((value) => Number.isFinite(value))) return { param, values };
  throw new UsageError(`--vary: expected name=1,2,3, found "${given}"`);
}

function scoreFileOf(io: CliIo, { scores, vary }: BacktestOptions): EventFile | undefined {
  if (scores === undefined) return undefined;
  if (vary !== undefined)
    throw new UsageError('--scores: cannot be used with --vary, which has a score for each value');
  return new EventFile(resolve(io.folder, scores), scoreColumns);
}

/** @throws UsageError for a model whose results no rule reads, so that it is not evaluated */
function choiceOf(io: CliIo, { score, policy }: BacktestOptions): ScoreChoice {
  if (score === 'rules') return score;
  const loaded = loadPolicy(readPolicyFolder(resolve(io.folder, policy)));
  const models = loaded.ok ? loaded.policy.models : [];
  const read = models.filter(
    ({ paths }) => loaded.ok && loaded.policy.rules.some(({ reads }) => reads.some(({ path }) => paths.includes(path))),
  );
  const known = read.flatMap(({ paths }) => paths);
  if (known.includes(score)) return score as ScoreChoice;
  throw new UsageError(`--score: expected ${['rules', ...known].join(', ')}, found "${score}"`);
}

interface Ran {
  readonly state: Awaited<ReturnType<typeof runStoredBacktest>>;
  readonly written: WrittenEvents | undefined;
}

/** Writes the file of scores meanwhile, if there is one; it is left only if the backtest was done. */
async function runWithScores(
  io: CliIo,
  installation: OpenInstallation,
  {
    of,
    scores,
    choice,
  }: { readonly of: StartedBacktest; readonly scores: EventFile | undefined; readonly choice: ScoreChoice },
): Promise<Ran> {
  try {
    const state = await run(
      io,
      installation,
      scores === undefined ? of : { ...of, scores: { choice, onScores: (one) => scores.add(scoreLines(one)) } },
    );
    return { state, written: state === 'done' ? scores?.finish() : undefined };
  } finally {
    scores?.discard();
  }
}

async function run(
  io: CliIo,
  installation: OpenInstallation,
  of: StartedBacktest,
): ReturnType<typeof runStoredBacktest> {
  const progress = new Progress(io, 'records');
  try {
    return await runStoredBacktest(installation, of, (done, total) => {
      progress.show(done, total);
      return !io.stop.aborted;
    });
  } finally {
    progress.clear();
  }
}
