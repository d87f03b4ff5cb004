import { describe, expect, it } from 'vitest';
import { isolated } from '../src/language/isolated.ts';

describe('a value within a sentence', () => {
  it.each(['', 'ana', 'José Núñez', '李雷', '4711', 'a "b" <c>'])('stays as it is: %j', (value) => {
    expect(isolated(value)).toBe(value);
  });

  it('is isolated if it is written from right to left', () => {
    expect(isolated('דוד 12')).toBe('\u2068דוד 12\u2069');
    expect(isolated('علي')).toBe('\u2068علي\u2069');
  });

  it('has its direction control characters replaced', () => {
    expect(isolated('eve\u202Eexe.txt')).toBe('\u2068eve\uFFFDexe.txt\u2069');
    expect(isolated('eve\u2069\u202E')).toBe('\u2068eve\uFFFD\uFFFD\u2069');
  });
});
