import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCells } from '../../src/csv/csv-cells.ts';
import { type RawRecord, recordBytesMax, RecordSplitter } from '../../src/csv/record-splitter.ts';

const layout = { delimiter: ',', quotes: true };
const comma = bytesOf(',');

/** Keeps a byte order mark. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Line number and text of every record; `undefined` for one that is too long. */
function split(pieces: readonly string[], quotes = true): readonly [number, string | undefined][] {
  const splitter = new RecordSplitter({ delimiter: quotes ? comma : undefined });
  const records: RawRecord[] = [];
  for (const piece of pieces) records.push(...splitter.push(bytesOf(piece)));
  records.push(...splitter.end());
  return records.map(({ line, bytes }) => [line, bytes && textOf(bytes)]);
}

describe('records', () => {
  it.each([
    ['a\nb\n', [1, 'a'], [2, 'b']],
    ['a\r\nb', [1, 'a'], [2, 'b']],
    ['\n\na\n\n', [3, 'a']],
    ['"a\nb",c\nd\n', [1, '"a\nb",c'], [3, 'd']],
    ['"a""\n",c\nd', [1, '"a""\n",c'], [3, 'd']],
    ['\uFEFF"a\nb",c\nd', [1, '\uFEFF"a\nb",c'], [3, 'd']],
    ['a,"b\r\n",c\r\nd', [1, 'a,"b\r\n",c'], [3, 'd']],
    ['a,"b\n"', [1, 'a,"b\n"']],
    // A quote within an unquoted cell.
    ['1,5" pipe\n2,x\n3,6" pipe\n4,y', [1, '1,5" pipe'], [2, '2,x'], [3, '3,6" pipe'], [4, '4,y']],
    // A quote that is never closed, before a line with quoted cells and before the end.
    ['1,"open\n2,"x"\n"3","y\nz"\n', [1, '1,"open'], [2, '2,"x"'], [3, '"3","y\nz"']],
    ['"never closed\nb', [1, '"never closed'], [2, 'b']],
    ['"a\nb",c,"open\nd', [1, '"a\nb",c,"open'], [3, 'd']],
  ] as const)('of %j', (text, ...expected) => {
    expect(split([text])).toEqual(expected);
  });

  it('of a comment are lines, whatever quotes it contains', () => {
    const splitter = new RecordSplitter({ delimiter: comma, comment: '#'.charCodeAt(0) });
    const records = splitter.push(bytesOf('\uFEFF# a,"b\nc,d\n#,"e\nf",g\n'));
    expect(records.map(({ line, bytes }) => [line, textOf(bytes!)])).toEqual([
      [1, '\uFEFF# a,"b'],
      [2, 'c,d'],
      [3, '#,"e'],
      [4, 'f",g'],
    ]);
  });

  it('quotes are ordinary characters when the mapping disables them', () => {
    expect(split(['5" pipe\nb\n'], false)).toEqual([
      [1, '5" pipe'],
      [2, 'b'],
    ]);
  });

  it('are the same however the file is split into pieces', () => {
    const character = fc.constantFrom('a', ',', '"', '"', '\n', '\r', '\r\n', 'ñ');
    fc.assert(
      fc.property(fc.array(fc.string({ unit: character })), (pieces) => {
        expect(split(pieces)).toEqual(split([pieces.join('')]));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('longer than any event are reported, and reading continues with the next line', () => {
    const long = 'x'.repeat(recordBytesMax + 1);
    const expected = [
      [1, 'a'],
      [2, undefined],
      [3, 'b'],
    ];
    expect(split([`a\n${long}\nb\n`])).toEqual(expected);
    expect(split(['a\n', ...long.match(/.{1,10000}/g)!, long, '\nb\n'])).toEqual(expected);
  });

  it('a quote that is never closed spoils its own line, not the rest of the file', () => {
    const rest = Array.from({ length: 40_000 }, (_, i) => `line ${i}`);
    const found = split([`"open\n${rest.join('\n')}\n`]);
    expect(found[0]).toEqual([1, '"open']);
    expect(found.slice(1).map(([, text]) => text)).toEqual(rest);
  });
});

describe('cells', () => {
  it.each([
    ['a,b,c', ['a', 'b', 'c']],
    [',,', ['', '', '']],
    ['"a","b,c",d', ['a', 'b,c', 'd']],
    ['"say ""x""",', ['say "x"', '']],
    ['"two\nlines"', ['two\nlines']],
    ['b,"a', 'The quote that opens cell 2 is not closed.'],
    ['"a"b,c', 'There is text after the closing quote of cell 1.'],
    ['a"b,c"', 'There is a quote within cell 1, which is not enclosed in quotes.'],
  ])('of %j', (record, expected) => {
    expect(csvCells(record, layout)).toEqual(expected);
  });

  it.each([
    [' a , b\t', ['a', 'b']],
    [' " a " , "b,c"\t, d ', [' a ', 'b,c', 'd']],
    ['"a" b', 'There is text after the closing quote of cell 1.'],
  ])('of %j without the blanks around them', (record, expected) => {
    expect(csvCells(record, { ...layout, trim: true })).toEqual(expected);
  });

  it('that are quoted are split correctly from any written lines', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1 }), { minLength: 1 }), (rows) => {
        const records = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(','));
        expect(split([records.join('\n')]).map(([, text]) => csvCells(text!, layout))).toEqual(rows);
        expect(split(records.join('\r\n').split(/(?<=a)/)).map(([, text]) => csvCells(text!, layout))).toEqual(rows);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('are read back as any cells were written', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n') }), { minLength: 1 }), (cells) => {
        const record = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
        expect(csvCells(record, layout)).toEqual(cells);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
