import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import { historyName, withImportedRows } from '../handbook/import-rows.ts';
import { readRows } from '../handbook/read-rows.ts';
import type { Rows } from '../handbook/rows.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';

export interface BacktestOptions {
  readonly seed: number;
}

/** The bar: all 1,754,155 operations of the handbook, forty rules, while the service runs. */
const secondsMax = 30;
const handbookRows = 1_754_155;
const policy = fileURLToPath(new URL('../../policies/cards', import.meta.url));

/** The members of a result that are compared. */
interface Result {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly result: {
    readonly events: { readonly decided: number };
    readonly candidate: { readonly flagged: { readonly events: number; readonly fraud: number } };
    readonly digest: string;
  };
}

/**
 * A typical use of the command line beside a running service: imports the card operations of the handbook, and
 * backtests a policy of forty rules on them twice. Without the file, generates rows of the same shape, and scales the
 * bar with their number.
 */
export async function backtest({ seed }: BacktestOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const rows = readRows(seed);
  return withImportedRows(rows, print, async ({ importS, run }) => {
    const tried = ['backtest', '--policy', policy, '--history', historyName, '--against', 'nothing'];
    const [first, second] = [await run(...tried), await run(...tried)] as [Result, Result];
    return report({ rows, importS, first, second }, print);
  });
}

interface Measured {
  readonly rows: Rows;
  readonly importS: number;
  readonly first: Result;
  readonly second: Result;
}

function report({ rows, importS, first, second }: Measured, print: (text: string) => void): readonly Bar[] {
  const seconds = [first, second].map(({ startedAtMs, endedAtMs }) => (endedAtMs - startedAtMs) / 1_000);
  const best = Math.min(...seconds);
  const { events, candidate, digest } = first.result;
  assert(events.decided === rows.count, 'every operation was decided');
  print(
    table([
      ['imported', 'lines/s', 'tried', 'again', 'operations/s', 'flagged', 'fraud among them'],
      [
        `${figure(importS)} s`,
        figure(rows.count / importS),
        `${figure(seconds[0]!)} s`,
        `${figure(seconds[1]!)} s`,
        figure(rows.count / best),
        figure(candidate.flagged.events),
        figure(candidate.flagged.fraud),
      ],
    ]),
  );
  print(`SHA-256 of all decisions: ${digest}\n`);
  const bar = (secondsMax * rows.count) / handbookRows;
  return [
    { what: `a backtest of ${figure(rows.count)} operations`, measured: best, bar, must: 'stay below', unit: 's' },
    {
      what: 'second backtest: the same SHA-256',
      measured: digest === second.result.digest ? 1 : 0,
      bar: 1,
      must: 'reach',
      unit: '',
    },
  ];
}
