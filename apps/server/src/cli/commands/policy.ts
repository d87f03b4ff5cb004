import { resolve } from 'node:path';
import { rulesTestedInPacks, type TestReport, runPolicyTests, unfiredRules, unmissedRules } from '@ringfence/engine';
import { loadPolicy, type Policy, type PolicyError, type PolicyFile } from '@ringfence/policy';
import type { Command } from 'commander';
import { packNames } from '../../policies/policy-packs.ts';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { labelOf } from '../../config/reconcile.ts';
import { instantMs, planBackfill, type WarmFrom } from '../../decide/feature-backfill/plan-backfill.ts';
import { listBackfills } from '../../tenancy/workspaces/backfill-rows.ts';
import { activatePolicy, applyPolicy, listPolicies } from '../../policies/policy-store.ts';
import { policyErrorLine } from '../../policies/policy-work.ts';
import { addDiff } from './policy-diff.ts';
import { addPackCommands } from './policy-packs.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, type CommonOptions, exitCodes, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { authorOf } from '../operating-user.ts';
import { withWorkspace } from '../open-installation.ts';
import { counted, grouped, instant, printResult, shownLines, table } from '../print.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';

export function addPolicyCommands(shell: Shell): void {
  const group = shell.program
    .command('policy')
    .description('Policies: check, test, apply, list, activate.')
    .summary('Check, test and apply policies.');
  addCheck(group, shell);
  addTest(group, shell);
  addApply(group, shell);
  addStarts(group, shell);
  addList(group, shell);
  addActivate(group, shell);
  addDiff(group, shell);
  addPackCommands(group, shell);
}

/** Fits into the integer of the database. */
const versionMax = 999_999_999;

interface Loaded {
  readonly folder: string;
  readonly files: readonly PolicyFile[];
  /** `undefined` if the policy has errors. */
  readonly policy: Policy | undefined;
  readonly found: readonly PolicyError[];
}

function load(io: CliIo, folder: string): Loaded {
  const files = readPolicyFolder(resolve(io.folder, folder));
  const result = loadPolicy(files, { packNames: packNames() });
  return result.ok
    ? { folder, files, policy: result.policy, found: result.warnings }
    : { folder, files, policy: undefined, found: result.errors };
}

/** Every error and warning, one a line, with its path relative to the working folder. */
function lines({ folder, found }: Loaded): string {
  return found
    .map(
      (one) =>
        `${folder.replace(/\/+$/, '')}/${one.severity === 'warning' ? warningLine(one) : policyErrorLine(one)}\n`,
    )
    .join('');
}

/** Ratios count as features: policy authors write them as such. */
function sizeText({ rules, features, ratios, tests }: Policy): string {
  return `${counted(rules.length, 'rule')}, ${counted(features.length + ratios.length, 'feature')}, ${counted(tests.length, 'test')}`;
}

function warningsText({ found }: Loaded): string {
  return found.length === 0 ? ': no mistakes' : `: no mistakes, ${counted(found.length, 'warning')}`;
}

function warningLine(one: PolicyError): string {
  return policyErrorLine({ ...one, message: `warning: ${one.message}` });
}

function addCheck(group: Command, { io, fail }: Shell): void {
  const command = group
    .command('check')
    .argument('<folder>', 'folder of YAML files')
    .option('--json', 'print JSON, for scripts')
    .action((folder: string, options: CommonOptions) => {
      const loaded = load(io, folder);
      const { policy } = loaded;
      const summary =
        policy === undefined
          ? counted(loaded.found.filter(({ severity }) => severity === 'error').length, 'mistake')
          : `${sizeText(policy)}${warningsText(loaded)}`;
      const json = { ok: policy !== undefined, found: loaded.found };
      printResult(io, options, { json, human: `${lines(loaded)}${summary}.\n` });
      if (policy === undefined) fail(exitCodes.failed);
    });
  about(command, {
    summary: 'Check a policy folder and list every mistake with file, line and column.',
    examples: [['ringfence policy check policies/acme', 'before a commit']],
    failure: 'the policy has mistakes',
  });
}

function addTest(group: Command, { io, fail }: Shell): void {
  const command = group
    .command('test')
    .argument('<folder>', 'folder of YAML files')
    .option('--json', 'print JSON, for scripts')
    .action((folder: string, options: CommonOptions) => {
      const loaded = load(io, folder);
      if (loaded.policy === undefined) {
        printResult(io, options, { json: { ok: false, found: loaded.found }, human: lines(loaded) });
        fail(exitCodes.failed);
        return;
      }
      const reports = runPolicyTests(loaded.policy);
      const unfired = unfiredRules(loaded.policy, reports);
      const unmissed = unmissedRules(loaded.policy, reports);
      const ok = reports.every(({ passed }) => passed);
      const inPacks = rulesTestedInPacks(loaded.policy).length;
      const human = testText(folder, reports, { unfired, unmissed, inPacks });
      printResult(io, options, { json: { ok, tests: reports, unfired, unmissed }, human });
      if (!ok) fail(exitCodes.failed);
    });
  about(command, {
    summary: 'Run the policy’s tests on the production engine.',
    examples: [
      ['ringfence policy test policies/acme', 'also lists rules that no test fires or that have no near-miss test'],
    ],
    failure: 'a test failed, or the policy has mistakes',
  });
}

/** Rules that the tests do not cover well enough, by reason. */
interface Gaps {
  readonly unfired: readonly number[];
  readonly unmissed: readonly number[];
  /** Number of rules that come from packs; their tests are in the packs. */
  readonly inPacks: number;
}

function testText(folder: string, reports: readonly TestReport[], { unfired, unmissed, inPacks }: Gaps): string {
  const failed = reports.filter(({ passed }) => !passed);
  const details = failed.map(
    ({ file, line, name, differences }) =>
      `${folder.replace(/\/+$/, '')}/${file}:${line}: ${name}\n${differences.map((difference) => `    ${difference}\n`).join('')}`,
  );
  const named = (reasons: readonly number[]): string => reasons.map((reason) => `rule ${reason}`).join(', ');
  const silent = unfired.length === 0 ? '' : `No test fires ${named(unfired)}.\n`;
  const edgeless =
    unmissed.length === 0
      ? ''
      : `No test comes close to firing ${named(unmissed)} without firing it: a near miss, where only one part of the condition fails.\n`;
  const elsewhere =
    inPacks === 0
      ? ''
      : `Not checked for coverage: ${counted(inPacks, 'rule')} from packs, which have their own tests.\n`;
  return `${details.join('')}${silent}${edgeless}${elsewhere}${reports.length - failed.length} passed, ${failed.length} failed\n`;
}

interface ActivateOptions extends WorkspaceOptions {
  readonly warmFrom?: string;
  readonly warmHistory?: readonly string[];
}

interface ApplyOptions extends ActivateOptions {
  readonly author?: string;
  readonly comment: string;
  readonly untested?: boolean;
}

function decidesText(version: number, workspace: Workspace): string {
  return `Version ${version} is now active for ${labelOf(workspace)}.\n`;
}

function foldingText(version: number, workspace: Workspace): string {
  const label = labelOf(workspace);
  return `Version ${version} becomes active for ${label} once its feature backfill is done. Progress: ringfence policy starts -w ${label}\n`;
}

function addApply(group: Command, { io, fail }: Shell): void {
  const applying = onWorkspace(group.command('apply'))
    .argument('<folder>', 'folder of YAML files')
    .option('--author <name>', 'who is responsible (default: the user of this shell)')
    .option('--comment <text>', 'the reason for the change', '');
  const command = warming(applying)
    .option('--untested', 'apply even if a test of the policy fails')
    .action(async (folder: string, options: ApplyOptions) => {
      const loaded = load(io, folder);
      if (loaded.policy === undefined || (options.untested !== true && !passes(loaded.policy, folder, io))) {
        io.complain(shownLines(`${lines(loaded)}Nothing was applied.\n`));
        fail(exitCodes.failed);
        return;
      }
      const warmFrom = warmFromOf(options);
      await withWorkspace(io, options, async (installation, workspace) => {
        const start = await planBackfill(installation, workspace, warmFrom);
        const author = authorOf(io, options);
        const policy = { files: loaded.files, author, comment: options.comment, actor: 'api', start } as const;
        const applied = await applyPolicy(installation, workspace.id, policy);
        const { version, changed } = applied;
        installation.note({ version, ...(changed ? {} : { changed }), ...(start === undefined ? {} : { warm: true }) });
        const human = applied.folding
          ? foldingText(applied.version, workspace)
          : applied.changed
            ? decidesText(applied.version, workspace)
            : `Version ${applied.version}, with the same files, is already active for ${labelOf(workspace)}.\n`;
        printResult(io, options, {
          json: { version: applied.version, changed: applied.changed, folding: applied.folding },
          human,
        });
      });
    });
  about(command, {
    summary: 'Check and test a policy, store it as the next version and activate it.',
    examples: [
      ['ringfence policy apply policies/acme -w acme/development', ''],
      ['ringfence policy apply policies/acme -w acme/production --comment "raise 301"', ''],
      ['ringfence policy apply policies/acme -w acme --warm-from start', 'backfill new features from the whole log'],
    ],
    failure: 'the policy has mistakes or a test fails, and nothing was applied',
  });
}

/** Adds the options that name the history of new features. */
function warming(command: Command): Command {
  return command
    .option(
      '--warm-from <time>',
      'backfill new features from the log since this time: 2026-10-01, an instant, or start',
    )
    .option('--warm-history <name...>', 'backfill new features from imported histories');
}

/** What new features are backfilled from; `undefined` for no backfill. */
function warmFromOf({ warmFrom, warmHistory }: ActivateOptions): WarmFrom | undefined {
  if (warmFrom === undefined && warmHistory === undefined) return undefined;
  const history = warmHistory ?? [];
  if (warmFrom === undefined || warmFrom === 'start') return { sinceMs: undefined, history };
  const sinceMs = instantMs(warmFrom);
  if (sinceMs === undefined)
    throw new UsageError(`"${warmFrom}" is not a time: expected 2026-10-01, 2026-10-01T06:00:00Z, or start.`);
  return { sinceMs, history };
}

function addStarts(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('starts')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const starts = await listBackfills(installation.pool, workspace.id);
      const rows = starts.map(({ version, state, done, total, error, askedAtMs }) => [
        String(version),
        state,
        `${grouped(done)} of ${grouped(total)}`,
        instant(askedAtMs),
        error ?? '',
      ]);
      const human =
        starts.length === 0
          ? `${labelOf(workspace)} has no feature backfills.\n`
          : table(['VERSION', 'STATE', 'PROGRESS', 'REQUESTED', 'ERROR'], rows);
      printResult(io, options, { json: starts, human });
    }),
  );
  about(command, {
    summary: 'Show the progress of feature backfills.',
    details:
      'The previous version stays active until the backfill is done. States: folding (in progress), ready, switched, cancelled, failed.',
    examples: [['ringfence policy starts -w acme/production', '']],
  });
}

function passes(policy: Policy, folder: string, io: CliIo): boolean {
  const reports = runPolicyTests(policy);
  if (reports.every(({ passed }) => passed)) return true;
  io.complain(shownLines(testText(folder, reports, { unfired: [], unmissed: [], inPacks: 0 })));
  return false;
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const versions = await listPolicies(installation.pool, workspace.id);
      const rows = versions.map((one) => [
        String(one.version),
        one.active ? 'active' : '',
        instant(one.createdAtMs),
        one.author,
        one.comment,
      ]);
      printResult(io, options, { json: versions, human: table(['VERSION', '', 'CREATED', 'AUTHOR', 'COMMENT'], rows) });
    }),
  );
  about(command, {
    summary: 'List the versions of a workspace’s policy, newest first.',
    examples: [['ringfence policy list -w acme/production', '']],
  });
}

function addActivate(group: Command, { io }: Shell): void {
  const command = warming(onWorkspace(group.command('activate')).argument('<version>', 'version number')).action(
    async (text: string, options: ActivateOptions) => {
      const version = wholeNumber('<version>', text, { max: versionMax });
      const warmFrom = warmFromOf(options);
      await withWorkspace(io, options, async (installation, workspace) => {
        const start = await planBackfill(installation, workspace, warmFrom);
        const { folding } = await activatePolicy(installation, workspace.id, { version, start, actor: 'api' });
        const human = folding ? foldingText(version, workspace) : decidesText(version, workspace);
        printResult(io, options, { json: { version, folding }, human });
      });
    },
  );
  about(command, {
    summary: 'Activate a stored version of the policy.',
    examples: [
      ['ringfence policy activate 3 -w acme/production', 'go back to an older version'],
      ['ringfence policy activate 3 -w acme --warm-from start', 'backfill returning features from the whole log'],
    ],
  });
}
