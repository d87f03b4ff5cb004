import { describe, expect, it } from 'vitest';
import { readCsv } from '../../src/csv/read-csv.ts';
import { recordBytesMax } from '../../src/csv/record-splitter.ts';
import { csvLine } from '../../src/csv/write-csv.ts';

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

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
    expect(readCsv(bytesOf(written))).toEqual(
      parts.map((part, at) => ({
        line: at + 1,
        text: written.split('\n')[at],
        cells: [part, '2027-02-01T00:00:00.000Z'],
      })),
    );
  });

  it('keep their line numbers next to comments and empty lines', () => {
    expect(readCsv(bytesOf('# mules\r\n\r\nB1/1\nB1/2, 7d\n'))).toEqual([
      { line: 3, text: 'B1/1', cells: ['B1/1'] },
      { line: 4, text: 'B1/2, 7d', cells: ['B1/2', '7d'] },
    ]);
  });

  it('may contain line breaks, which an export writes in quotes', () => {
    const written = csvLine(['two\r\nlines', 'x']) + csvLine(['y']);
    expect(readCsv(bytesOf(written))).toMatchObject([
      { line: 1, cells: ['two\r\nlines', 'x'] },
      { line: 3, cells: ['y'] },
    ]);
  });

  it('are refused by line and reason, and the other lines are read', () => {
    const windows = Uint8Array.of(0xd1, 0x0a); // Ñ in Windows-1252
    const text = bytesOf(`\uFEFFa,5" pipe\n"b" c\n"d\n${'e'.repeat(recordBytesMax + 1)}\nf\n`);
    expect(readCsv(new Uint8Array([...text, ...windows]))).toEqual([
      {
        line: 1,
        text: 'a,5" pipe',
        mistake: 'quotes',
        detail: 'There is a quote within cell 2, which is not enclosed in quotes.',
      },
      { line: 2, text: '"b" c', mistake: 'quotes', detail: 'There is text after the closing quote of cell 1.' },
      { line: 3, text: '"d', mistake: 'quotes', detail: 'The quote that opens cell 1 is not closed.' },
      { line: 4, text: '', mistake: 'length', detail: 'The line is longer than 256 KiB.' },
      { line: 5, text: 'f', cells: ['f'] },
      { line: 6, text: '', mistake: 'encoding', detail: 'The line is not UTF-8.' },
    ]);
  });
});
