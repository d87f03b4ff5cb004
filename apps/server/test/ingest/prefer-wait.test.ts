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
    ['wait=x, wait=4', 4],
    ['wait=3, "', 3],
    ['return=minimal; foo="some parameter"', undefined],
    ['', undefined],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait="3"', undefined],
    ['wait=3.5', undefined],
    ['wait=-1', undefined],
    ['wait=1e0', undefined],
    ['wait=3 4', undefined],
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

  it('is parsed quickly, whatever it contains', () => {
    for (const piece of ['a;', ' ', '\t;', ', ', 'wait=1 ', '"\\', '\\"', ',wait=1']) {
      const began = performance.now();
      preferredWaitSeconds(`x${piece.repeat(1_024 / piece.length - 1)}\u0000`);
      expect(performance.now() - began).toBeLessThan(200);
    }
  });
});
