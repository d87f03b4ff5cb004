import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { homeDatabase } from '../../platform/database/cell.ts';
import { databaseFolder, diskSpaceOf } from '../../platform/database/disk-space.ts';
import { startTheNewerRelease, unknownMigrations } from '../../platform/database/migrate.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { migrations } from '../../migrations.ts';
import { estimateBytes } from '../../tenancy/move/estimate-bytes.ts';
import type { MoveDatabase } from '../../tenancy/move/move-session.ts';
import { abortMove, finishMove, type MoveOptions, moveWorkspace } from '../../tenancy/move/move-workspace.ts';
import { type MoveUnderWay, readMoves } from '../../tenancy/move/read-moves.ts';
import { about, onInstallation } from '../about.ts';
import { type CliIo, type CommonOptions, UsageError } from '../cli-io.ts';
import { type LocatedWorkspace, locateWorkspace } from '../find-workspace.ts';
import { inDatabase, type OpenInstallation, withInstallation } from '../open-installation.ts';
import { grouped, printResult } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

interface MoveCommandOptions extends CommonOptions {
  readonly to?: string;
  readonly keep?: boolean;
  readonly abort?: boolean;
  readonly finish?: boolean;
}

export function addMove(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('move'))
    .argument('<workspace>', 'NAME, NAME/ENVIRONMENT or id')
    .option('--to <database>', 'the database that it moves to: home, or a name of `databases`')
    .option('--keep', 'leave its rows in the database that it came from')
    .option('--finish', 'drop the rows that a move with --keep left')
    .option('--abort', 'give the move up; possible until it has switched')
    .action(async (meant: string, options: MoveCommandOptions) => {
      const asked = [options.to, options.finish, options.abort].filter((one) => one !== undefined);
      if (asked.length !== 1) throw new UsageError('Give one of --to DATABASE, --finish and --abort.');
      await withInstallation(io, options, (home) => run(io, home, { meant, options }));
    });
  about(command, {
    summary: 'Move a workspace to another database, while it serves.',
    details:
      'Copies its rows while the service goes on, then stops its log for a moment, copies what is left, compares, and switches. Interrupted at any moment, the same command goes on. Needs the rights of the owner of both databases, as "ringfence migrate" does.',
    examples: [
      ['ringfence workspace move acme --to north', ''],
      ['ringfence workspace move acme --abort', 'until it has switched'],
      ['ringfence workspace move acme --to north --keep', 'look first; then drop the rows with --finish'],
    ],
  });
}

async function run(
  io: CliIo,
  home: OpenInstallation,
  { meant, options }: { readonly meant: string; readonly options: MoveCommandOptions },
): Promise<void> {
  const underWay = (await readMoves(home.pool)).find(
    (move) => move.id === meant || move.name === meant || labelOf(move) === meant,
  );
  const move = underWay ?? (await newMove(home, meant, options));
  home.note({ workspace: move.id, from: move.from, to: move.to });
  const label = labelOf(move);
  await withBoth({ io, home, ...move }, async (databases) => {
    const of: MoveOptions = {
      ...databases,
      workspace: { id: move.id, name: move.name, environment: move.environment },
    };
    if (options.abort === true) {
      await abortMove(of);
      home.note({ aborted: true });
      printResult(io, options, {
        json: { workspace: move.id, database: move.from },
        human: `${label} stays in ${move.from}.\n`,
      });
      return;
    }
    if (options.finish === true) {
      await finishMove(of);
      const human = `Its rows in ${move.from} were dropped. ${label} is in ${move.to}.\n`;
      printResult(io, options, { json: { workspace: move.id, database: move.to }, human });
      return;
    }
    await requireDiskSpace(home, of);
    const progress = new Progress(io, 'rows');
    const onProgress: MoveOptions['onProgress'] = ({ rows, rowsTotal }) =>
      progress.show(rows, Math.max(rows, rowsTotal));
    const result = await moveWorkspace({ ...of, onProgress, keep: options.keep === true }).finally(() =>
      progress.clear(),
    );
    home.note({ rows: result.rows, bytes: result.bytes, pauseMs: result.pauseMs });
    const kept = options.keep === true ? ` Its rows are still in ${move.from}: drop them with --finish.` : '';
    printResult(io, options, {
      json: { workspace: move.id, database: move.to, ...result },
      human: `${label} is in ${move.to}: ${grouped(result.rows)} rows, ${grouped(Math.ceil(result.bytes / 1_000_000))} MB. Its log took no records for ${grouped(result.pauseMs)} ms.${kept}\n`,
    });
  });
}

type Planned = Pick<MoveUnderWay, 'id' | 'name' | 'environment' | 'from' | 'to'>;

async function newMove(home: OpenInstallation, meant: string, { to }: MoveCommandOptions): Promise<Planned> {
  const found: LocatedWorkspace = await locateWorkspace(home, meant);
  if (to === undefined) throw new OperatorError(`${labelOf(found)} is not moving.`, 'See: ringfence workspace list');
  if (to === found.database)
    throw new OperatorError(`${labelOf(found)} is in ${to} already.`, 'Name another database.');
  return { id: found.id, name: found.name, environment: found.environment, from: found.database, to };
}

/** Opens both databases as other commands do: they are of this release, this installation, and with its master key. */
function withBoth(
  { io, home, from, to }: Planned & { readonly io: CliIo; readonly home: OpenInstallation },
  work: (databases: Pick<MoveOptions, 'home' | 'from' | 'to'>) => Promise<void>,
): Promise<void> {
  const open = (name: string, next: (database: MoveDatabase) => Promise<void>): Promise<void> =>
    inDatabase(io, home, {
      name,
      work: async ({ pool, database }) => {
        const [newer] = await unknownMigrations(pool, migrations);
        if (newer !== undefined)
          throw new OperatorError(`The database ${name} is of a newer release.`, startTheNewerRelease);
        await next({ name, connection: database.connection });
      },
    });
  return open(homeDatabase, (atHome) =>
    open(from, (source) => open(to, (target) => work({ home: atHome, from: source, to: target }))),
  );
}

/** Of an external database the disk cannot be seen from here. */
async function requireDiskSpace(
  { configuration }: OpenInstallation,
  { from, to, workspace }: MoveOptions,
): Promise<void> {
  if (to.name !== homeDatabase || configuration.databaseUrl !== undefined) return;
  const { folder, freeBytes } = diskSpaceOf(await databaseFolder(configuration.home));
  const needed = await estimateBytes(from, workspace.id);
  if (freeBytes > needed) return;
  throw new OperatorError(
    `The workspace needs about ${grouped(Math.ceil(needed / 1_000_000))} MB, and ${folder} has ${grouped(Math.floor(freeBytes / 1_000_000))} MB.`,
    'Make room on that disk first.',
  );
}
