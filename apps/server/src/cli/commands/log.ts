import { countPlacedBlocks, moveToPostgres, type PlacedTotals } from '@ringfence/log';
import type { Command } from 'commander';
import { nameOfDatabase } from '../../platform/database/cell.ts';
import { logTopicFaults } from '../../platform/database/log-topic-faults.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about, onInstallation } from '../about.ts';
import { type CliIo, type CommonOptions, UsageError } from '../cli-io.ts';
import { inEveryDatabase, type OpenInstallation, withInstallation } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

/** Progress is printed after this many records. */
const progressRecords = 100_000;

export function addLogCommands(shell: Shell): void {
  const group = shell.program
    .command('log')
    .description('Where the bytes of the log are kept: status, move.')
    .summary('Where the bytes of the log are kept.');
  addStatus(group, shell);
  addMove(group, shell);
}

function addStatus(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('status')).action((options: CommonOptions) =>
    withInstallation(io, options, async (home) => {
      const all: LogStatus[] = [];
      await inEveryDatabase(io, home, async (one) => void all.push(await statusOf(one)));
      const human = all.map((status) => textOf(status, all.length > 1)).join('');
      printResult(io, options, { json: all, human });
    }),
  );
  about(command, {
    summary: 'Say where new events go, and how many records are in Kafka.',
    details: 'For each database. It reads the whole log, which takes a second for about a gigabyte.',
    examples: [['ringfence log status', 'before and after a move']],
  });
}

interface LogStatus {
  readonly database: string;
  readonly topic: string | undefined;
  readonly newEvents: 'kafka' | 'postgres';
  /** In Kafka, of all workspaces. */
  readonly records: number;
  readonly placed: readonly (PlacedTotals & { readonly workspace: string })[];
  readonly faults: readonly { readonly detail: string; readonly mend: string }[];
}

async function statusOf(installation: OpenInstallation): Promise<LogStatus> {
  const { pool, database } = installation;
  const { logTopic } = database.connection;
  const placed = [...(await countPlacedBlocks(pool))].map(([workspace, totals]) => ({ workspace, ...totals }));
  return {
    database: nameOfDatabase(installation),
    topic: logTopic?.topic,
    newEvents: logTopic?.writes === true ? 'kafka' : 'postgres',
    records: placed.reduce((sum, one) => sum + one.records, 0),
    placed,
    faults: logTopic === undefined ? [] : await faultsOrWhy(logTopic),
  };
}

function textOf({ database, topic, newEvents, records, placed, faults }: LogStatus, isNamed: boolean): string {
  const lines = [
    `New events: ${newEvents === 'kafka' ? `the topic ${topic}` : 'PostgreSQL'}.`,
    `In Kafka: ${counted(records, 'record')}.`,
    ...placed.map((one) => `  ${one.workspace}: ${counted(one.records, 'record')}`),
    ...faults.map(({ detail, mend }) => `${detail}\n  ${mend}`),
  ];
  return `${isNamed ? `Database ${database}\n` : ''}${lines.join('\n')}\n`;
}

async function faultsOrWhy(
  topic: Parameters<typeof logTopicFaults>[0],
): Promise<readonly { readonly detail: string; readonly mend: string }[]> {
  try {
    return await logTopicFaults(topic);
  } catch (error) {
    return [{ detail: (error as Error).message, mend: 'Check log.kafka in the file, and the brokers.' }];
  }
}

function addMove(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('move'))
    .requiredOption('--to <place>', 'postgres')
    .action((options: CommonOptions & { readonly to: string }) => {
      if (options.to !== 'postgres') {
        throw new UsageError('Expected --to postgres. New events go to Kafka as soon as log.kafka names a topic.');
      }
      return withInstallation(io, options, async (home) => {
        refuseWhileWriting(home);
        const moved = { records: 0, isDone: true };
        await inEveryDatabase(io, home, async (installation) => {
          const one = await moveOne(io, installation);
          moved.records += one.records;
          moved.isDone &&= one.isDone;
        });
        const rest = moved.isDone
          ? 'None is left in Kafka: remove log.kafka from the file, restart, and delete the topic.'
          : 'Some were added meanwhile: another process still writes to Kafka. Set write: false in its file, restart it, and run this again.';
        printResult(io, options, { json: moved, human: `Moved ${counted(moved.records, 'record')}. ${rest}\n` });
      });
    });
  about(command, {
    summary: 'Copy the records that are in Kafka into PostgreSQL, while the service runs.',
    details:
      'First set `write: false` in `log.kafka` and restart every process. It can be stopped and run again. Afterwards the log does not need Kafka.',
    examples: [['ringfence log move --to postgres', 'to leave Kafka']],
  });
}

async function moveOne(
  io: CliIo,
  { pool, log }: OpenInstallation,
): Promise<{ readonly records: number; readonly isDone: boolean }> {
  let records = 0;
  let told = 0;
  const isDone = await moveToPostgres(pool, log.placed, (_, moved) => {
    records += moved;
    if (records - told < progressRecords) return;
    told = records;
    io.complain(`${counted(records, 'record')} moved\n`);
  });
  return { records, isDone };
}

function refuseWhileWriting({ configuration: { logTopic } }: OpenInstallation): void {
  if (logTopic?.writes !== true) return;
  throw new OperatorError(
    'New events still go to Kafka.',
    'Set write: false in log.kafka of every process, restart each, and run this again.',
  );
}
