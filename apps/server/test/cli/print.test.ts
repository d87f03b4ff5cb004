import { expect, it } from 'vitest';
import type { CliIo } from '../../src/cli/cli-io.ts';
import { counted, instant, printResult, shown, table } from '../../src/cli/print.ts';

it('table columns are as wide as their widest cell', () => {
  expect(table(['A', 'LONG'], [['1234', 'x']])).toBe('A     LONG\n1234  x\n');
});

it.each([
  ['colours', '\u001B[31mred\u001B[0m'],
  ['a title', '\u001B]0;title\u0007'],
  ['an extra line', 'alice\nroot logged in'],
  ['another writing direction', 'alice\u202Etxt.exe'],
])('outside text cannot send the terminal %s', (_, text) => {
  expect(shown(text)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it('control characters are removed from tables and from all other output for people', () => {
  expect(table(['WHO'], [['a\u001B[2J\nb']])).toBe('WHO\na?b\n');
  const written: string[] = [];
  const io = { write: (text: string) => void written.push(text) } as unknown as CliIo;
  const result = { json: { name: '\u001B[2J' }, human: 'fired 101 \u001B[2JOf\u202E a name\nfired 102\n' };
  printResult(io, {}, result);
  printResult(io, { json: true }, result);
  expect(written).toEqual(['fired 101 Of? a name\nfired 102\n', '{"name":"\\u001b[2J"}\n']);
});

it('names in all scripts are shown unchanged', () => {
  expect(shown('José 山田 مريم 👍')).toBe('José 山田 مريم 👍');
});

it('prints singular and plural, and instants', () => {
  expect([counted(1, 'event'), counted(2, 'event')]).toEqual(['1 event', '2 events']);
  expect([instant(0), instant(undefined)]).toEqual(['1970-01-01 00:00:00Z', '-']);
});
