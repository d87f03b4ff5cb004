import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationMeant, formatDuration, parseDuration } from '../../src/values/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['250ms', 250],
    ['1d2h3m4s5ms', 93_784_005],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '15', 'm', '1.5h', '30m1h', '-5s', '5 s', '5M', '1w', '9999999d', ' 5s'])('refuses "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('durationMeant', () => {
  it.each([
    ['1w', '7d'],
    ['2 weeks', '14d'],
    ['90 minutes', '1h30m'],
    ['1 hour', '1h'],
    ['30sec', '30s'],
    ['05:30', '5h30m'],
  ])('%s', (text, meant) => {
    expect(durationMeant(text)).toBe(meant);
  });

  it.each(['', '3600', '1M', '2 deeks', '25:99', 'soon'])('does not guess at "%s"', (text) => {
    expect(durationMeant(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it('is parsed as the same span', () => {
    fc.assert(
      fc.property(fc.nat({ max: 90 * 86_400_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });

  it('writes a span below zero with a sign', () => {
    expect(formatDuration(-90_000)).toBe('-1m30s');
  });
});
