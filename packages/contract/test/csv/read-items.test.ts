import { describe, expect, it } from 'vitest';
import { itemColumns, type ItemFileForm, readItems } from '../../src/csv/read-items.ts';
import { csvLine } from '../../src/csv/write-csv.ts';

const nowMs = Date.UTC(2027, 0, 1);
const until = '2027-02-01T00:00:00Z';

function read(file: string | Uint8Array, form: Partial<ItemFileForm> = {}): readonly unknown[] {
  return readItems(file, { of: ['client.id'], nowMs, ...form }).map((line) =>
    'refused' in line
      ? `${line.line} ${line.refused}`
      : [...line.parts, ...(line.expiresAtMs === undefined ? [] : [line.expiresAtMs])],
  );
}

describe('a file of items', () => {
  it('is what an export writes, whatever the items are', () => {
    const parts = ['client', 'a;', 'x\ny', '#', '=1', "'", ' ', 'until', 'client.id'];
    const rows = [itemColumns(['client.id']), ...parts.map((part) => [part])];
    expect(read(rows.map((row) => csvLine(row)).join(''))).toEqual(parts.map((part) => [part]));
  });

  it('may have ends: a span, or an instant with its zone', () => {
    expect(read(`ana,7d\nbob,${until}\neva,2027-02-01\nivo,`)).toEqual([
      ['ana', nowMs + 7 * 86_400_000],
      ['bob', Date.parse(until)],
      '3 end',
      ['ivo'],
    ]);
  });

  it.each([
    ['client.id\nana\n', [['ana']]],
    ['client.id,until\nana\n', [['ana']]],
    ['client,until\nana\n', ['1 header', ['ana']]],
    ['Customer ID\nana\n', ['1 header', ['ana']]],
    ['ana\nclient.id\n', [['ana'], ['client.id']]],
    ['# a comment\nclient.id\nana', [['ana']]],
  ])('may begin with the names of its columns: %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('has an item in its first line if that is said', () => {
    expect(read('client\nclient.id\n', { header: false })).toEqual([['client'], ['client.id']]);
  });

  it.each([
    [`ana;${until}\nbob;\n`, ['1 delimiter', '2 delimiter']],
    ['ana;1\nbob;2\n', ['1 delimiter', '2 delimiter']],
    [`ana\nbob;${until}\n`, [['ana'], '2 delimiter']],
    ['ana\tx\n', ['1 delimiter']],
    ['a;b\nbob\n', [['a;b'], ['bob']]],
  ])('with another delimiter is refused: %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('can be read with another delimiter, or with the comma on purpose', () => {
    expect(read(`ana;${until}\nb,c;\n`, { delimiter: ';' })).toEqual([['ana', Date.parse(until)], ['b,c']]);
    expect(read('a;b\n', { delimiter: ',' })).toEqual([['a;b']]);
  });

  it('is UTF-8, UTF-16 with a mark, or Windows-1252 if that is said', () => {
    const latin1 = Uint8Array.from('Jos\u00e9\nana\n', (character) => character.charCodeAt(0));
    expect(read(latin1)).toEqual(['1 encoding', ['ana']]);
    expect(read(latin1, { encoding: 'windows-1252' })).toEqual([['José'], ['ana']]);
    const units = Uint16Array.from('\ufeffJosé\nana\n', (character) => character.charCodeAt(0));
    const little = new Uint8Array(units.buffer);
    expect(read(little)).toEqual([['José'], ['ana']]);
    expect(read(little.map((_, at) => little[at ^ 1]!))).toEqual([['José'], ['ana']]);
  });

  it('of pairs has two parts in each line', () => {
    const form = { of: ['payee.id', 'client.id'] };
    expect(read('payee.id,client.id,until\nB/1,ana\nB/2\nB/3,eva,7d,x\n,ivo\n', form)).toEqual([
      ['B/1', 'ana'],
      '3 columns',
      '4 columns',
      '5 columns',
    ]);
  });
});
