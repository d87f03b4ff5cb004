import type { Used } from '../measure/processor-time.ts';
import { figure, table } from './table.ts';

/** Number of threads and processes that are shown, the busiest first. */
const partsShown = 6;

/** Processor time per event or request; `all` includes the parts that are not shown. */
export function printUsed(used: Used, among: number): string {
  const all = used.reduce((sum, [, ms]) => sum + ms, 0);
  return table(
    [...used.slice(0, partsShown), ['all', all] as const].map(([part, ms]) => [
      part,
      `${figure((ms * 1_000) / among)} us`,
    ]),
  );
}
