import { describe, expect, it } from 'vitest';
import { readItemsCsv, writeItemsCsv } from '../src/pages/lists/items-csv.ts';

function read(text: string, width: number | readonly string[]): ReturnType<typeof readItemsCsv> {
  return readItemsCsv(new TextEncoder().encode(text), width);
}

describe('items as CSV', () => {
  it('survive a round trip', () => {
    const rows = [['B1/42', '2027-02-01T00:00:00.000Z'], ['with, a comma'], ['with "quotes"'], ['# no comment']];
    expect(read(writeItemsCsv(['payee.id'], rows), ['payee.id'])).toEqual([
      { line: 2, parts: ['B1/42'], expiresAt: '2027-02-01T00:00:00.000Z' },
      { line: 3, parts: ['with, a comma'] },
      { line: 4, parts: ['with "quotes"'] },
      { line: 5, parts: ['# no comment'] },
    ]);
  });

  it('are defused against formulas and survive a round trip', () => {
    const parts = ['=1+1', '@x', "'=y", '+52 1', '-5.2', '+4917', "it's", '\tz'];
    const written = writeItemsCsv(
      ['payee.id'],
      parts.map((part) => [part]),
    );
    expect(written).toBe("payee.id,until\n'=1+1\n'@x\n''=y\n'+52 1\n-5.2\n+4917\nit's\n'\tz\n");
    expect(read(written, ['payee.id']).map((line) => 'parts' in line && line.parts)).toEqual(
      parts.map((part) => [part]),
    );
  });

  it('of pairs have two parts; invalid lines are reported with their number and reason', () => {
    const text =
      '\uFEFF# a feed\r\nB1/1,ana\r\n\r\nB1/2\r\nB1/3,bob,soon\nB1/4,eva,2027-02-01,more\nB1/5,"gil",2027-02-01T00:00:00Z\n,x';
    expect(read(text, 2)).toEqual([
      { line: 2, parts: ['B1/1', 'ana'] },
      { line: 4, refused: 'columns', text: 'B1/2' },
      { line: 5, refused: 'end', text: 'B1/3,bob,soon' },
      { line: 6, refused: 'columns', text: 'B1/4,eva,2027-02-01,more' },
      { line: 7, parts: ['B1/5', 'gil'], expiresAt: '2027-02-01T00:00:00.000Z' },
      { line: 8, refused: 'columns', text: ',x' },
    ]);
  });

  it.each([
    ['B1/1,ticket 2030', 'end'],
    ['B1/1,2030', 'end'],
    ['B1/1,01/02/2030', 'end'],
    ['B1/1,2030-02-01', 'end'],
    ['B1/1;2030-02-01T00:00:00Z', 'delimiter'],
    ['client,until', 'header'],
    ['B1/1,"2030-01-01', 'quotes'],
    ['"B1/1"x', 'quotes'],
  ])('refuse %j', (text, refused) => {
    expect(read(text, 1)).toEqual([{ line: 1, refused, text }]);
  });

  it('may be text, and end after a span', () => {
    const nowMs = Date.UTC(2027, 0, 1);
    expect(readItemsCsv('ana,7d\n', 1, nowMs)).toEqual([
      { line: 1, parts: ['ana'], expiresAt: '2027-01-08T00:00:00.000Z' },
    ]);
  });
});
