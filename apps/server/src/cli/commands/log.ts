import { countPlacedBlocks, moveToPostgres } from '@ringfence/log';
import type { Command } from 'commander';
import { logTopicFaults } from '../../platform/database/log-topic-faults.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about, onInstallation } from '../about.ts';
import { type CommonOptions, UsageError } from '../cli-io.ts';
import { type OpenInstallation, withInstallation } from '../open-installation.ts';
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
    withInstallation(io, options, async ({ pool, configuration: { logTopic } }) => {
      const placed = [...(await countPlacedBlocks(pool))].map(([workspace, totals]) => ({ workspace, ...totals }));
      const records = placed.reduce((sum, one) => sum + one.records, 0);
      const where = logTopic === undefined ? 'PostgreSQL' : `the topic ${logTopic.topic}`;
      const newOnes = logTopic?.writes === true ? where : 'PostgreSQL';
      const faults = logTopic === undefined ? [] : await faultsOrWhy(logTopic);
      const human = [
        `New events: ${newOnes}.`,
        `In Kafka: ${counted(records, 'record')}.`,
        ...placed.map((one) => `  ${one.workspace}: ${counted(one.records, 'record')}`),
        ...faults.map(({ detail, mend }) => `${detail}\n  ${mend}`),
      ];
      printResult(io, options, {
        json: { newEvents: logTopic?.writes === true ? 'kafka' : 'postgres', records, placed, faults },
        human: `${human.join('\n')}\n`,
      });
    }),
  );
  about(command, {
    summary: 'Say where new events go, and how many records are in Kafka.',
    details: 'It reads the whole log, which takes a second for about a gigabyte.',
    examples: [['ringfence log status', 'before and after a move']],
  });
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
      return withInstallation(io, options, async (installation) => {
        refuseWhileWriting(installation);
        let records = 0;
        let told = 0;
        const isDone = await moveToPostgres(installation.pool, installation.log.placed, (_, moved) => {
          records += moved;
          if (records - told < progressRecords) return;
          told = records;
          io.complain(`${counted(records, 'record')} moved\n`);
        });
        const rest = isDone
          ? 'None is left in Kafka: remove log.kafka from the file, restart, and delete the topic.'
          : 'Some were added meanwhile: another process still writes to Kafka. Set write: false in its file, restart it, and run this again.';
        printResult(io, options, {
          json: { records, isDone },
          human: `Moved ${counted(records, 'record')}. ${rest}\n`,
        });
      });
    });
  about(command, {
    summary: 'Copy the records that are in Kafka into PostgreSQL, while the service runs.',
    details:
      'First set `write: false` in `log.kafka` and restart every process. It can be stopped and run again. Afterwards the log does not need Kafka.',
    examples: [['ringfence log move --to postgres', 'to leave Kafka']],
  });
}

function refuseWhileWriting({ configuration: { logTopic } }: OpenInstallation): void {
  if (logTopic?.writes !== true) return;
  throw new OperatorError(
    'New events still go to Kafka.',
    'Set write: false in log.kafka of every process, restart each, and run this again.',
  );
}
