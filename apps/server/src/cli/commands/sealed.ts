import { labelOf } from '../../config/reconcile.ts';
import { verifySealed } from '../../sealed/verify-sealed.ts';
import { about, onInstallation } from '../about.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { findWorkspaces } from '../find-workspace.ts';
import { withInstallation } from '../open-installation.ts';
import { grouped, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addSealedCommands({ program, io, fail }: Shell): void {
  const group = program
    .command('sealed')
    .description('Values that are encrypted in the database: verify.')
    .summary('Values that are encrypted in the database.');
  const command = onInstallation(group.command('verify')).action((options: CommonOptions) =>
    withInstallation(io, options, async (installation) => {
      const workspaces = await findWorkspaces(installation, undefined);
      const verdict = await verifySealed(installation, workspaces);
      const { values, before, wrong, wrongCount } = verdict;
      const names = new Map(workspaces.map((workspace) => [workspace.id, labelOf(workspace)]));
      const lines = wrong.map(({ kind, workspace, row }) => {
        const of = workspace === undefined ? '' : ` of ${names.get(workspace) ?? workspace}`;
        return `${kind}, ${row}${of}: it was moved, changed or cut.\n`;
      });
      const rest = wrongCount > wrong.length ? `… and ${grouped(wrongCount - wrong.length)} more.\n` : '';
      const summary =
        wrongCount === 0
          ? `${grouped(values)} sealed values, each opens at its place.\n`
          : `${grouped(wrongCount)} of ${grouped(values)} sealed values do not open at their place.\n`;
      const older =
        before === 0
          ? ''
          : `${grouped(before)} were sealed by an earlier release, which bound them to their workspace and client only.\n`;
      printResult(io, options, { json: verdict, human: lines.join('') + rest + summary + older });
      if (wrongCount > 0) fail(exitCodes.failed);
    }),
  );
  about(command, {
    summary: 'Open every encrypted value where it is.',
    details:
      'A value opens only in its own row: one that was moved, exchanged with another, changed or cut is named by its table, column and row. Values of erased clients have no key and are skipped. Reads the whole database, and the service can keep running. The output has no personal data.',
    examples: [['ringfence sealed verify', 'after a restore, or for an audit']],
    failure: 'a value does not open at its place',
  });
}
