import { labelOf } from '../../config/reconcile.ts';
import { type SealedVerdict, verifySealed } from '../../sealed/verify-sealed.ts';
import { about, onInstallation } from '../about.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { findWorkspaces } from '../find-workspace.ts';
import { inEveryDatabase, withInstallation } from '../open-installation.ts';
import { grouped, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addSealedCommands({ program, io, fail }: Shell): void {
  const group = program
    .command('sealed')
    .description('Values that are encrypted in the database: verify.')
    .summary('Values that are encrypted in the database.');
  const command = onInstallation(group.command('verify')).action((options: CommonOptions) =>
    withInstallation(io, options, (home) =>
      inEveryDatabase(io, home, async (installation) => {
        const workspaces = await findWorkspaces(installation, undefined);
        const verdict = await verifySealed(installation, workspaces);
        const names = new Map(workspaces.map((workspace) => [workspace.id, labelOf(workspace)]));
        const { cell } = installation;
        const heading = cell === undefined ? '' : `Database ${cell.name}:\n`;
        const json = cell === undefined ? verdict : { database: cell.name, ...verdict };
        printResult(io, options, { json, human: heading + describeVerdict(verdict, names) });
        if (verdict.wrongCount > 0) fail(exitCodes.failed);
      }),
    ),
  );
  about(command, {
    summary: 'Open every encrypted value where it is, and compare the records with their chain.',
    details:
      'A value opens only in its own row: one that was moved, exchanged with another, changed or cut is named by its table, column and row. Records of the log and the stored states of the engine are compared with the chain that the engine writes: a record that was exchanged, removed or repeated is named to within 64, and an earlier state in the place of a later one is named as well. Values of erased clients have no key and are skipped. Reads the whole database, and the service can keep running. The output has no personal data.',
    examples: [['ringfence sealed verify', 'after a restore, or for an audit']],
    failure: 'something is not as it was written',
  });
}

function describeVerdict(verdict: SealedVerdict, names: ReadonlyMap<string, string>): string {
  const { values, before, chains, unchained, wrong, wrongCount } = verdict;
  const named = wrong.map(({ kind, workspace, row }) => {
    const of = workspace === undefined ? '' : ` of ${names.get(workspace) ?? workspace}`;
    return `${kind}, ${row}${of}: it was moved, changed or cut.\n`;
  });
  const rest = wrongCount > wrong.length ? `… and ${grouped(wrongCount - wrong.length)} more.\n` : '';
  const summary =
    wrongCount === 0
      ? `${grouped(values)} sealed values, each opens at its place.\n`
      : `${grouped(values)} sealed values were opened; ${grouped(wrongCount)} differences from what was written.\n`;
  const older =
    before === 0
      ? ''
      : `${grouped(before)} were sealed by an earlier release, which bound them to their workspace and client only.\n`;
  const extents = chains.map(
    ({ workspace, from, end, link }) =>
      `${names.get(workspace) ?? workspace}: records ${from} to ${end - 1} are chained, up to ${link.slice(0, 16)}.\n`,
  );
  const without = unchained.map((workspace) => `${names.get(workspace) ?? workspace}: no chain of records yet.\n`);
  return [...named, rest, summary, older, ...extents, ...without].join('');
}
