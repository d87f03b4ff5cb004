import { describe, expect, it } from 'vitest';
import { mask, maskEmail } from '../../../src/compile/functions/masks.ts';

describe('a masked value', () => {
  it.each([
    ['012180001183599719', '****9719'],
    ['+52 55 1234 5678', '****5678'],
    ['12345678', '****5678'],
    ['123456', '****456'],
    ['12', '****2'],
    ['1', '****'],
    ['', '****'],
    ['a🎁', '****'],
    ['ab🎁', '****🎁'],
  ])('%s is %s', (value, masked) => {
    expect(mask(value)).toBe(masked);
  });

  it.each([
    ['maria@example.com', 'm****@example.com'],
    ['🎁x@example.com', '🎁****@example.com'],
    ['m@example.com', '****@example.com'],
    ['"a@b"@example.com', '"****@example.com'],
    ['@example.com', '****'],
    ['maria@', '****'],
    ['maria', '****'],
    ['', '****'],
  ])('%s is %s', (value, masked) => {
    expect(maskEmail(value)).toBe(masked);
  });
});
