/** The protocol of the handbook, on a few rows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ceilingScores, signalOf } from '../src/handbook/ceiling.ts';
import { foldOf, hasFolds } from '../src/handbook/folds.ts';
import { deviationOf, meanOf, measureFolds } from '../src/handbook/measure-folds.ts';
import { readScores } from '../src/handbook/read-scores.ts';
import { daySeconds, emptyRows, firstDayEpochS, type Rows } from '../src/handbook/rows.ts';

type Row = readonly [day: number, customer: number, terminal: number, scenario?: 0 | 1 | 2 | 3];

function rowsOf(given: readonly Row[]): Rows {
  const rows = emptyRows('by hand', given.length);
  given.forEach(([day, customer, terminal, scenario = 0], row) => {
    rows.epochS[row] = firstDayEpochS + day * daySeconds;
    rows.customer[row] = customer;
    rows.terminal[row] = terminal;
    rows.scenario[row] = scenario;
    rows.fraud[row] = scenario === 0 ? 0 : 1;
  });
  return rows;
}

describe('a fold', () => {
  it('is the week that begins 14 days after its training week', () => {
    const { row, day } = foldOf(
      rowsOf([
        [23.99, 1, 1],
        [24, 2, 1],
        [30.99, 3, 1],
        [31, 4, 1],
      ]),
      10,
    );
    expect([...row]).toEqual([1, 2]);
    expect([...day]).toEqual([24, 30]);
  });

  it('leaves out customers with a fraud in the training week', () => {
    const rows = rowsOf([
      [9.9, 1, 1, 1],
      [10, 2, 1, 1],
      [16.9, 3, 1, 1],
      [24, 1, 1],
      [24, 2, 1],
      [24, 3, 1],
      [24, 4, 1],
    ]);
    expect([...foldOf(rows, 10).customer]).toEqual([1, 4]);
  });

  it('leaves out, from each day on, those whose fraud is known by then: eight days before, and older', () => {
    // The fraud of day 17 is known on day 25, the second day of the fold.
    const rows = rowsOf([
      [17, 1, 1, 1],
      [18, 2, 1, 1],
      [24, 1, 1],
      [25, 1, 1],
      [25, 2, 1],
      [26, 2, 1],
      [30, 2, 1],
    ]);
    const { customer, day } = foldOf(rows, 10);
    expect([...customer].map((one, at) => [one, day[at]])).toEqual([
      [1, 24],
      [2, 25],
    ]);
  });

  it('needs rows of the whole span', () => {
    expect(
      hasFolds(
        rowsOf([
          [0, 1, 1],
          [157, 1, 1],
        ]),
      ),
    ).toBe(true);
    expect(
      hasFolds(
        rowsOf([
          [0, 1, 1],
          [156.9, 1, 1],
        ]),
      ),
    ).toBe(false);
    expect(
      hasFolds(
        rowsOf([
          [1, 1, 1],
          [157, 1, 1],
        ]),
      ),
    ).toBe(false);
    expect(hasFolds(rowsOf([]))).toBe(false);
  });
});

describe('the ceiling', () => {
  const rows = rowsOf([
    [0, 1, 7, 2],
    [1, 2, 7, 0],
    [2, 3, 8, 2],
    [5, 4, 9, 1],
    [7, 5, 7, 2], // the fraud of day 0 is exactly seven days old: not older
    [7.5, 5, 7, 2], // it is known
    [8.5, 5, 7, 2], // the newest that is known is legitimate
    [9.5, 6, 8, 2],
    [9.6, 7, 5, 2], // nothing is known
    [9.7, 7, 5, 3],
  ]);

  it('gives a signal to frauds whose terminal was last known for fraud, and to those of the other scenarios', () => {
    expect([...signalOf(rows)]).toEqual([0, 0, 0, 1, 0, 1, 0, 1, 0, 1]);
  });

  it('is above all others for frauds with a signal, and drawn from the seed for the others', () => {
    const scores = ceilingScores(rows, 3);
    expect([...scores].map((score) => score >= 1)).toEqual([...signalOf(rows)].map((signal) => signal === 1));
    expect(ceilingScores(rows, 3)).toEqual(scores);
    expect(ceilingScores(rows, 4)).not.toEqual(scores);
  });
});

it('measures are the mean over the folds', () => {
  const rows = rowsOf([
    [24, 1, 1, 1],
    [24, 2, 1],
    [31, 3, 1, 1],
    [31, 4, 1],
  ]);
  const folds = [foldOf(rows, 10), foldOf(rows, 17)];
  // Right in the first fold, wrong in the second. Each day two customers are checked, one of them compromised.
  const measured = measureFolds(folds, Float64Array.of(2, 1, 1, 2));
  expect(measured).toEqual({ aucRoc: 0.5, averagePrecision: 0.75, cardPrecision: 0.01 });
  const other = { aucRoc: 0.7, averagePrecision: 0.75, cardPrecision: 0.03 };
  expect(meanOf([measured, other]).aucRoc).toBeCloseTo(0.6, 12);
  expect(deviationOf([measured, other]).aucRoc).toBeCloseTo(Math.SQRT2 / 10, 12);
});

describe('a file of scores', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringfence-scores-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rows = rowsOf([
    [0, 1, 7, 2],
    [1, 2, 7],
    [2, 1, 8],
  ]);
  const lines = [
    'offset,client,at,label,score',
    '0,a,2018-04-01T00:00:00.000Z,fraud,7',
    '2,a,2018-04-03T00:00:00.000Z,legitimate,0.5',
    '1,b,2018-04-02T00:00:00.000Z,legitimate,0',
  ];
  const read = (changed: readonly string[]): Promise<Float64Array> => {
    const path = join(folder, 'scores.csv');
    writeFileSync(path, `${changed.join('\n')}\n`);
    return readScores(rows, path);
  };

  it('has the score of each row', async () => {
    expect(await read(lines)).toEqual(Float64Array.of(7, 0, 0.5));
  });

  it.each([
    ['a row without a score', lines.slice(0, 3), 'each row has a score'],
    ['a row twice', [...lines, lines[1]!], 'each row has one score'],
    ['another time', lines.with(3, lines[3]!.replace('-02T', '-03T')), 'the time of its row'],
    ['another label', lines.with(3, lines[3]!.replace('legitimate', 'fraud')), 'the label of its row'],
    ['one client of two customers', lines.with(3, lines[3]!.replace(',b,', ',a,')), 'one customer'],
    ['two clients of one customer', lines.with(2, lines[2]!.replace(',a,', ',c,')), 'one client'],
    ['other columns', lines.with(0, 'offset,score'), 'the columns'],
  ])('with %s, is refused', async (_what, changed, message) => {
    await expect(read(changed)).rejects.toThrow(message);
  });
});
