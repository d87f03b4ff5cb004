import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Arena, offsetMask, sizeOf } from '../../src/memory/arena.ts';

/** Blocks that are made, and given back by their place among those that are in use. */
const moves = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('make' as const), cells: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ kind: fc.constant('make' as const), cells: fc.integer({ min: 16_000, max: 70_000 }) }),
    fc.record({ kind: fc.constant('give back' as const), place: fc.nat() }),
  ),
  { maxLength: 120 },
);

it('never gives memory to two blocks at once', () => {
  fc.assert(
    fc.property(moves, (history) => {
      const arena = new Arena();
      const used: { block: number; cells: number; mark: number }[] = [];
      history.forEach((move, mark) => {
        if (move.kind === 'make') {
          const block = arena.allocate(move.cells);
          const { cells } = arena.pageOf(block);
          cells.fill(mark, block & offsetMask, (block & offsetMask) + sizeOf(move.cells));
          used.push({ block, cells: move.cells, mark });
        } else if (used.length > 0) {
          const [gone] = used.splice(move.place % used.length, 1);
          arena.release(gone!.block, gone!.cells);
        }
        expect(arena.usedBytes).toBe(used.reduce((sum, { cells }) => sum + sizeOf(cells) * 8, 0));
        for (const { block, cells, mark: own } of used) {
          const page = arena.pageOf(block).cells;
          const offset = block & offsetMask;
          expect([page[offset], page[offset + cells - 1]]).toEqual([own, own]);
        }
      });
    }),
    { seed: 1, numRuns: 200 },
  );
});

it('takes up what was given back', () => {
  const arena = new Arena();
  const first = arena.allocate(20);
  arena.release(first, 20);
  expect(arena.allocate(24)).toBe(first);
  const large = arena.allocate(50_000);
  arena.release(large, 50_000);
  expect(arena.allocate(60_000)).toBe(large);
});

it('cuts what it needs from a larger block that was given back, and the rest of it', () => {
  const arena = new Arena();
  const large = arena.allocate(256);
  arena.release(large, 256);
  const [first, second] = [arena.allocate(30), arena.allocate(32)];
  expect([first, second, arena.allocate(64), arena.allocate(128)]).toEqual([
    large,
    large + 32,
    large + 64,
    large + 128,
  ]);
  expect(arena.usedBytes).toBe(256 * 8);
});

it.each([1, 8, 9, 12, 13, 16, 17, 24, 25, 100, 65_536])(
  'has a block of %d cells with at most a third left over',
  (cells) => {
    expect(sizeOf(cells)).toBeGreaterThanOrEqual(cells);
    expect(sizeOf(cells)).toBeLessThanOrEqual(Math.max(8, cells * 1.5));
  },
);
