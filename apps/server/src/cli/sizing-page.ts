import { grouped } from './print.ts';
import { beyondMeasured, peakMeasured, sizeFor, sizingAssumptions, sizingFigures, sizingRows } from './sizing.ts';

const examples = [1, 10, 50, 200, 1_000];
const keepDays = 400;

/** docs/reference/sizing.md. */
export function printSizingPage(note: string): string {
  const { databaseBytes, stateBytes, walBytes, processorUs, backupPerSecond, restorePerSecond, backupBytes } =
    sizingFigures;
  const { peakFactor, processorShareMax, diskFactor, diskBytesMin, memoryBytesMin, cacheSeconds } = sizingAssumptions;
  const columns = examples.map((eventsPerSecond) => sizingRows(sizeFor({ eventsPerSecond, keepDays })));
  const rows = columns[0]!.map(([what], at) => row([what, ...columns.map((column) => column[at]![1])]));
  return `# Sizing

${note}

What a machine needs for its events. \`ringfence size --events-per-second N --keep DAYS\` calculates the same for your numbers.

## Events per second on average over a day, kept ${keepDays} days

${row(['', ...examples.map((rate) => `${grouped(rate)}/s`)])}
${row(['---', ...examples.map(() => '---')])}
${rows.join('\n')}

${beyondMeasured}

## Measured, for each event

On 2 cores of a shared server, with the service, the embedded PostgreSQL, its load and a webhook receiver on the same machine
([performance](../performance.md)). Another machine differs, mostly in its processor and disk: measure yours.

| What | Figure |
|---|---|
| In the database: log, event with its decision, what it is found by, actions | ${grouped(databaseBytes)} bytes |
| State of clients, payees and devices | ${grouped(stateBytes)} bytes |
| Write-ahead log | ${grouped(walBytes)} bytes |
| Processor time of everything, PostgreSQL included | ${processorUs} us |
| \`ringfence backup\` | ${grouped(backupPerSecond)} events/s, ${grouped(backupBytes)} bytes each |
| \`ringfence restore\` | ${grouped(restorePerSecond)} events/s |

Backup and restore were measured once, with these commands, on a small installation of 60,000 events while other programs kept the
machine busy; their start, 1 s and 10 s with a new embedded database, is left out. A large installation is better copied by the tools of PostgreSQL ([backup](../guides/backup-and-restore.md)).

## Assumed

| What | Assumption |
|---|---|
| The busiest moments | ${peakFactor} times the average of the day |
| Processor | at most ${processorShareMax * 100} % busy in them; never fewer than 2 cores |
| Disk | ${diskFactor} times the database, and ${diskBytesMin / 1e9} GB for the write-ahead log between two checkpoints, network data and logs; backups and archived log not included |
| Memory | ${memoryBytesMin / 2 ** 30} GiB for system, process and the entities of one workspace, and the events of the last ${cacheSeconds / 60} minutes for PostgreSQL |
| One machine | up to ${grouped(peakMeasured)} events/s in the busiest moments |
`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
