import type { Used } from '../measure/processor-time.ts';
import { figure, table } from './table.ts';

/** Threads and processes that are shown, of those that used most. */
const partsShown = 6;

/** Processor time for each of so many events or requests; `all` are all parts, those that are not shown too. */
export function printUsed(used: Used, among: number): string {
  const all = used.reduce((sum, [, ms]) => sum + ms, 0);
  return table(
    [...used.slice(0, partsShown), ['all', all] as const].map(([part, ms]) => [
      part,
      `${figure((ms * 1_000) / among)} us`,
    ]),
  );
}
