import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { labelOf } from '../../config/reconcile.ts';
import { databaseFolder, type DiskSpace, diskSpaceOf } from '../../platform/database/disk-space.ts';
import { networkData } from '../../ingest/networks/network-source.ts';
import { type ImportFile, importHistory, type Imported } from '../../history/import-history.ts';
import { readMapping } from '../../history/mapping/read-mapping.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { authorOf } from '../operating-user.ts';
import { withWorkspace } from '../open-installation.ts';
import { counted, grouped, printResult, shown, table } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

interface ImportOptions extends WorkspaceOptions {
  readonly mapping: readonly string[];
  readonly name?: string;
  readonly report?: string;
  readonly author?: string;
}

/** Free space that an import must leave on the disk of the embedded database: room for a day of live events. */
const roomLeftBytes = 1_024 ** 3;

/** The most reasons that the summary shows; the report has every line. */
const reasonsShown = 10;

export function addImportCommand({ program, io }: Shell): void {
  const command = onWorkspace(program.command('import'))
    .argument('<files...>', 'CSV or NDJSON files, optionally gzipped')
    .requiredOption('-m, --mapping <file...>', 'how lines become events: one mapping for all files, or one for each')
    .option('--name <name>', 'name of the history (default: name of the first file)')
    .option('--report <file>', 'where to report lines that are left out (default: NAME.left-out.csv)')
    .option('--author <name>', 'who is responsible (default: the user of this shell)')
    .action(async (paths: readonly string[], options: ImportOptions) => {
      const files = filesOf(io, paths, options.mapping);
      const name = nameOf(options.name ?? basename(paths[0]!).replace(/\..*$/, ''));
      const reportPath = resolve(io.folder, options.report ?? `${name}.left-out.csv`);
      await withWorkspace(io, options, async ({ configuration, database, subjects }, workspace) => {
        const author = authorOf(io, options);
        const { databaseUrl, home } = configuration;
        const folder = databaseUrl === undefined ? await databaseFolder(home) : undefined;
        const progress = new Progress(io, 'lines');
        try {
          const imported = await importHistory(
            { connection: database.connection, subjects },
            {
              workspace,
              networks: networkData(home),
              name,
              files,
              author,
              reportPath,
              onProgress: ({ file, lines, share }) => {
                if (io.stop.aborted) throw new OperatorError('Stopped.', 'Nothing was imported.');
                if (folder !== undefined) refuseLittleRoom(diskSpaceOf(folder));
                progress.show(lines, { share, of: file });
              },
            },
          );
          progress.clear();
          printResult(io, options, { json: imported, human: print(imported, labelOf(workspace)) });
        } finally {
          progress.clear();
        }
      });
    });
  about(command, {
    summary: 'Import history from files, for backtests.',
    details:
      'The live log is not changed. Each line is checked like a request to ingest, and encrypted under its client’s key. Invalid lines are left out and reported with their number, member and reason. An import that stops before its last line imports nothing. How to write a mapping: docs/guides/try-a-policy.md.',
    examples: [
      ['ringfence import payments.csv.gz -m mapping.yaml -w acme/production', 'a year of payments'],
      ['ringfence import logins.csv payments.csv -m logins.yaml payments.yaml --name 2026', 'two files, one history'],
    ],
    failure: 'refused or failed: nothing was imported',
  });
}

/** @throws OperatorError if less than 1 GiB is free: on a full disk, live events would be refused */
export function refuseLittleRoom({ folder, freeBytes }: DiskSpace): void {
  if (freeBytes >= roomLeftBytes) return;
  throw new OperatorError(
    `Less than 1 GiB is left on the disk of the database (${folder}), which live events need.`,
    'Nothing was imported. Free some space, or import less.',
  );
}

function filesOf(io: CliIo, paths: readonly string[], mappings: readonly string[]): readonly ImportFile[] {
  if (mappings.length !== 1 && mappings.length !== paths.length) {
    throw new UsageError(
      `There are ${counted(paths.length, 'file')} and ${counted(mappings.length, 'mapping')}: expected one mapping, or one for each file.`,
    );
  }
  const twice = paths.find((path, at) => paths.some((other, i) => i < at && isSame(io, path, other)));
  if (twice !== undefined) throw new UsageError(`${twice} is given twice: its events would be counted twice.`);
  const read = mappings.map((path) => readMapping(path, readText(resolve(io.folder, path))));
  return paths.map((path, i) => {
    const whole = resolve(io.folder, path);
    if (!existsSync(whole)) throw new OperatorError(`There is no file ${whole}.`, 'Nothing was imported.');
    return { path: whole, mapping: read[i] ?? read[0]! };
  });
}

function isSame({ folder }: CliIo, path: string, other: string): boolean {
  return resolve(folder, path) === resolve(folder, other);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new OperatorError(
      `The mapping ${path} cannot be read: ${(cause as Error).message}`,
      'Nothing was imported.',
      {
        cause,
      },
    );
  }
}

function nameOf(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    `--name: expected 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit, found "${name}"`,
  );
}

function print(imported: Imported, workspace: string): string {
  const { name, events, totals, leftOut, reportPath, unread, absent, damage, twice } = imported;
  const { logins, logouts, operations, fraud, legitimate } = totals;
  const lines = [
    `${name}: ${counted(events, 'event')} in ${workspace}: ${counted(operations, 'operation')}, ${counted(logins, 'login')}, ${counted(logouts, 'logout')}.`,
    `Labelled: ${grouped(fraud)} fraud, ${grouped(legitimate)} legitimate.`,
    ...Object.entries(unread).flatMap(([file, columns]) =>
      columns.length === 0 ? [] : [`Unused columns of ${file}: ${columns.map(shown).join(', ')}.`],
    ),
  ];
  for (const [file, columns] of Object.entries(absent))
    if (columns.length > 0) lines.push(`No line of ${file} has a value for: ${columns.map(shown).join(', ')}.`);
  if (twice > 0)
    lines.push(
      `Times that clocks showed twice, when they went back: ${counted(twice, 'line')}. Where the order of the lines does not tell, the first is taken; export times with their zone.`,
    );
  if (damage.length > 0) {
    const rows = damage
      .slice(0, reasonsShown)
      .map((one) => [grouped(one.lines), `${one.file}:${one.firstLine}`, one.column, one.looksLike]);
    lines.push('Imported, but looks damaged:', table(['LINES', 'FIRST', 'COLUMN', 'LOOKS LIKE'], rows).trimEnd());
  }
  if (reportPath !== undefined) {
    const rows = leftOut.slice(0, reasonsShown).map((one) => [grouped(one.lines), one.member, one.reason]);
    lines.push(
      `Left out: ${counted(totals.leftOut, 'line')}. Reasons by line: ${reportPath}`,
      table(['LINES', 'MEMBER', 'REASON'], rows).trimEnd(),
    );
  }
  return `${lines.join('\n')}\n`;
}
