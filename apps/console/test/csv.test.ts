import { expect, it } from 'vitest';
import { csvOf } from '../src/format/csv.ts';

it('quotes cells as in RFC 4180 and defuses formulas', () => {
  expect(
    csvOf(
      ['a', 'b'],
      [
        ['1,5', 'say "hi"'],
        ['=1+1', undefined],
        ['-5.2', '+52 1'],
        ['@x', 'two\nlines'],
      ],
    ),
  ).toBe('a,b\r\n"1,5","say ""hi"""\r\n\'=1+1,\r\n-5.2,\'+52 1\r\n\'@x,"two\nlines"\r\n');
});
