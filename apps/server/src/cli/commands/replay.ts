import { labelOf } from '../../config/reconcile.ts';
import { PolicyCache } from '../../policies/policy-cache.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { type Difference, type Verification, verifyLog } from '../../backtest/replay/verify-log.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, exitCodes, type WorkspaceOptions } from '../cli-io.ts';
import { inDatabasesOf, type OpenInstallation, withInstallation } from '../open-installation.ts';
import { counted, grouped, printResult, shown } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

export function addReplayCommand({ program, io, fail }: Shell): void {
  const command = onWorkspace(program.command('replay'))
    .requiredOption('--verify', 'compare with the recorded decisions; nothing is written')
    .action((options: WorkspaceOptions) =>
      withInstallation(io, options, async (home) => {
        const json: object[] = [];
        let human = '';
        await inDatabasesOf(io, home, {
          meant: options.workspace,
          work: async (installation, workspace) => {
            const verification = await verify(io, installation, workspace);
            json.push({ workspace: labelOf(workspace), ...verification });
            human += print(workspace, verification);
            if (verification.verdict === 'different') fail(exitCodes.failed);
          },
        });
        printResult(io, options, { json, human });
      }),
    );
  about(command, {
    summary: 'Decide the whole log again and compare every decision with the recorded one.',
    details:
      'Compares the chained SHA-256 of all decisions, and each decision with its row. Shows the first difference: the event, its rules and its actions then and now. Lists what cannot be reproduced: events of erased clients, quarantined records, decisions of another engine version or of a policy version that is no longer valid, and records that the log no longer keeps. Without -w, checks all workspaces. The service can keep running. The output contains personal data: do not store it.',
    examples: [
      ['ringfence replay --verify', 'after an upgrade, or for an audit'],
      ['ringfence replay --verify -w acme/production --json', 'for scripts'],
    ],
    failure: 'a decision differs from the recorded one without an explanation',
  });
}

async function verify(
  io: CliIo,
  { pool, log, subjects }: OpenInstallation,
  workspace: Workspace,
): Promise<Verification> {
  const progress = new Progress(io, `records of ${labelOf(workspace)}`);
  const deps = { pool, log, subjects, policies: new PolicyCache(pool) };
  try {
    return await verifyLog(deps, workspace, (done, of) => {
      if (io.stop.aborted) throw new OperatorError(`Stopped after ${grouped(done)} of ${grouped(of)} records.`, again);
      progress.show(done, of);
    });
  } finally {
    progress.clear();
  }
}

const again = 'Nothing was changed. Run the command again to check the whole log.';

function print(workspace: Workspace, verification: Verification): string {
  const { records, decisions, digest, gaps, first, withoutRow } = verification;
  const lines = [
    `${labelOf(workspace)}: ${verdictText(verification)}`,
    `  ${counted(records, 'record')}, ${counted(decisions.replayed, 'decision')}, SHA-256 ${digest.replayed}`,
  ];
  if (digest.recorded !== digest.replayed) {
    lines.push(`  recorded: ${counted(decisions.recorded, 'decision')}, SHA-256 ${digest.recorded}`);
  }
  if (withoutRow > 0)
    lines.push(`  ${counted(withoutRow, 'decision')} without a row: checked only by the chained digest`);
  for (const { from, to, records: concerned, reason } of gaps) {
    const where = to === from + 1 ? `offset ${from}` : `offsets ${from} to ${to - 1}`;
    lines.push(`  cannot be reproduced: ${where}, ${counted(concerned, 'record')}: ${reason}`);
  }
  if (first !== undefined) lines.push(...differenceLines(first));
  return `${lines.join('\n')}\n`;
}

function verdictText({ verdict, differences, decisions }: Verification): string {
  const { unexplained, afterGap } = differences;
  switch (verdict) {
    case 'same':
      return 'every decision equals the recorded one';
    case 'partly':
      return afterGap === 0
        ? 'every decision that can be reproduced equals the recorded one'
        : `every decision before the first gap equals the recorded one; ${grouped(afterGap)} of ${grouped(decisions.replayed)} after it differ, possibly because of the gap`;
    case 'different':
      return unexplained === 0
        ? 'DIFFERENT: the chained digest differs, although every stored row agrees'
        : `DIFFERENT: ${counted(unexplained, 'decision')} not as recorded`;
  }
}

function differenceLines({ event, kind, offset, recorded, replayed, changes }: Difference): readonly string[] {
  return [
    `  first difference: ${kind} ${event} (offset ${offset})`,
    `    then: rules ${recorded.rules}; actions ${recorded.actions}`,
    `    now:  rules ${replayed.rules}; actions ${replayed.actions}`,
    ...changes.map((one) => `    ${one.what}: ${shown(one.recorded)} then, ${shown(one.replayed)} now`),
  ];
}
