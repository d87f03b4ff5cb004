import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mostOverlapping, type TimeSpan } from '../../src/history/overlap.ts';

const span = fc.tuple(fc.nat(20), fc.nat(8)).map(([fromMs, length]): TimeSpan => ({ fromMs, toMs: fromMs + length }));

it('finds an instant with the most overlapping spans', () => {
  fc.assert(
    fc.property(fc.array(span, { minLength: 1 }), (spans) => {
      const at = (atMs: number): number => spans.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs).length;
      const found = mostOverlapping(spans);
      expect(found.spans).toBe(Math.max(...Array.from({ length: 30 }, (_, atMs) => at(atMs))));
      expect(at(found.atMs)).toBe(found.spans);
    }),
    { seed: 1, numRuns: 500 },
  );
});
