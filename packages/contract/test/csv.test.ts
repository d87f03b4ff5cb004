import { describe, expect, it } from 'vitest';
import { csvLine, readCsv } from '../src/csv.ts';

describe('items as CSV', () => {
  it('are never evaluated by a spreadsheet, and are read back unchanged', () => {
    const parts = ['=1+1', '@x', "'=y", '+52 1', '-5.2', '+4917', "it's", '\tz', 'with, a comma', '# no comment'];
    const written = parts.map((part) => csvLine([part, '2027-02-01T00:00:00.000Z'])).join('');
    expect(written.split('\n').map((line) => line.split(',20')[0])).toEqual([
      "'=1+1",
      "'@x",
      "''=y",
      "'+52 1",
      '-5.2',
      '+4917',
      "it's",
      "'\tz",
      '"with, a comma"',
      '"# no comment"',
      '',
    ]);
    expect(readCsv(written)).toEqual(
      parts.map((part, at) => ({
        line: at + 1,
        text: written.split('\n')[at],
        cells: [part, '2027-02-01T00:00:00.000Z'],
      })),
    );
  });

  it('keep their line numbers next to comments and empty lines', () => {
    expect(readCsv('# mules\r\n\r\nB1/1\nB1/2, 7d\n')).toEqual([
      { line: 3, text: 'B1/1', cells: ['B1/1'] },
      { line: 4, text: 'B1/2, 7d', cells: ['B1/2', '7d'] },
    ]);
  });
});
