import { describe, expect, it } from 'vitest';
import { openScreen } from '../src/screen/screen.ts';
import { table } from '../src/screen/table.ts';

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text: string) => void written.push(text) };
}

describe('on a terminal', () => {
  it('lines are printed above the progress line', () => {
    const out = output(true);
    const screen = openScreen(out, () => 0);
    screen.progress('one');
    screen.line('a line');
    screen.progress('two');
    expect(out.written.join('')).toBe('\r\u001B[Kone\r\u001B[Ka line\none\r\u001B[Ktwo');
  });

  it('the progress line never wraps', () => {
    const out = output(true);
    openScreen(out, () => 0).progress('x'.repeat(50));
    expect(out.written[0]).toBe(`\r\u001B[K${'x'.repeat(19)}`);
  });

  it('the progress line can be cleared', () => {
    const out = output(true);
    const screen = openScreen(out, () => 0);
    screen.progress('one');
    screen.clearProgress();
    screen.line('a line');
    expect(out.written.at(-1)).toBe('a line\n');
  });
});

describe('without a terminal', () => {
  it('progress is printed as a plain line every five seconds', () => {
    const out = output(false);
    let nowMs = 0;
    const screen = openScreen(out, () => nowMs);
    for (nowMs = 0; nowMs <= 11_000; nowMs += 250) screen.progress(String(nowMs));
    expect(out.written).toEqual(['5000\n', '10000\n']);
  });
});

it('table columns have the width of their widest cells', () => {
  expect(
    table(
      ['a', 'bb'],
      [
        ['1234', 'x'],
        ['1', 'xyz'],
      ],
    ),
  ).toEqual(['a     bb', '----  ---', '1234  x', '1     xyz']);
});
