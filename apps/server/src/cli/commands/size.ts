import { about } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';
import { printSizing, sizeFor } from '../sizing.ts';
import { wholeNumber } from '../whole-number.ts';

interface SizeOptions extends Pick<CommonOptions, 'json'> {
  readonly eventsPerSecond: string;
  readonly keep: string;
}

const eventsPerSecondMax = 100_000;
const daysMax = 3_650;

export function addSizeCommand({ program, io }: Shell): void {
  const command = program
    .command('size')
    .requiredOption('--events-per-second <number>', 'logins, logouts and operations, on average over a day')
    .requiredOption('--keep <days>', 'how long events are kept (keepEvents)')
    .option('--json', 'print JSON, for scripts')
    .action((options: SizeOptions) => {
      const wanted = {
        eventsPerSecond: wholeNumber('--events-per-second', options.eventsPerSecond, { max: eventsPerSecondMax }),
        keepDays: wholeNumber('--keep', options.keep, { max: daysMax }),
      };
      printResult(io, options, { json: sizeFor(wanted), human: printSizing(wanted) });
    });
  about(command, {
    summary: 'Calculate the machine that an installation needs.',
    details:
      'Prints processor, memory, disk, write-ahead log a day, and how long a backup and a restore take, from what was measured on 2 cores (docs/reference/sizing.md). Needs no installation.',
    examples: [
      ['ringfence size --events-per-second 20 --keep 400', 'a bank with 1.7 million events a day'],
      ['ringfence size --events-per-second 20 --keep 400 --json', 'the same in bytes and seconds'],
    ],
  });
}
