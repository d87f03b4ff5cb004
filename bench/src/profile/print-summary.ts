import { figure, table } from '../report/table.ts';
import type { ProfileSummary } from './summary.ts';

const partsShown = 16;
const functionsShown = 24;

/** Prints the busy time in shares: by part, then by function. */
export function printSummary({ busyMs, parts, functions }: ProfileSummary): string {
  const share = ([name, ms]: readonly [string, number]): readonly string[] => [
    name,
    `${figure((100 * ms) / busyMs)} %`,
  ];
  const lists = [parts.slice(0, partsShown), functions.slice(0, functionsShown)].map((list) => table(list.map(share)));
  return `\nself time, ${figure(busyMs / 1_000)} s busy\n${lists.join('\n')}`;
}
