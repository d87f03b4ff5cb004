import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preferredWaitSeconds } from '../../src/ingest/prefer-wait.ts';

describe('the header Prefer', () => {
  it.each([
    ['wait=3', 3],
    ['wait=0', 0],
    ['wait=5', 5],
    ['wait=6', 5],
    ['wait=99999999999999999999', 5],
    ['WAIT = 2', 2],
    ['wait=2; why=audit', 2],
    ['wait=2;', 2],
    ['respond-async, wait=4', 4],
    ['respond-async,wait=4,handling=lenient', 4],
    ['note="a, wait=1", wait=4', 4],
    [String.raw`note="say \"wait=1\", please", wait=4`, 4],
    [', ,wait=1,', 1],
    ['wait=1, wait=4', 1],
    ['return=minimal; foo="some parameter"', undefined],
    ['', undefined],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait=x, wait=4', undefined],
    ['wait="3"', undefined],
    ['wait=3.5', undefined],
    ['wait=-1', undefined],
    ['wait=1e0', undefined],
    ['wait=3 4', undefined],
    ['wait=3, "', undefined],
    ['x-wait=3', undefined],
    ['return=minimal; wait=3', undefined],
    ['wait=٣', undefined],
  ])('%s', (header, seconds) => {
    expect(preferredWaitSeconds(header)).toBe(seconds);
  });

  it('may be split over several header fields', () => {
    expect(preferredWaitSeconds(['respond-async', 'wait=2'])).toBe(2);
    expect(preferredWaitSeconds(undefined)).toBeUndefined();
  });

  it('is parsed quickly and without an error, whatever it contains', () => {
    const pieces = fc.constantFrom('wait', '=', '"', '\\', ',', ';', ' ', '\t', 'a', '3', '\u0000', 'é');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 400 }), (parts) => {
        const seconds = preferredWaitSeconds(parts.join(''));
        expect(seconds === undefined || (Number.isInteger(seconds) && seconds >= 0 && seconds <= 5)).toBe(true);
      }),
      { seed: 1, numRuns: 2_000 },
    );
    for (const piece of ['a;', 'a=b;', ' ', '\t;', 'wait=1 ', '"\\', 'a; ']) {
      const began = performance.now();
      preferredWaitSeconds(`x${piece.repeat(1_024 / piece.length - 1)}\u0000`);
      expect(performance.now() - began).toBeLessThan(200);
    }
  });
});
