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
  { maxLength: 300 },
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

it('joins what is given back, in whatever order, until whole pages are free', () => {
  const sizes = fc.array(fc.record({ cells: fc.integer({ min: 1, max: 400 }), order: fc.nat() }), {
    minLength: 500,
    maxLength: 900,
  });
  fc.assert(
    fc.property(sizes, (given) => {
      const arena = new Arena();
      const blocks = given.map(({ cells, order }) => ({ block: arena.allocate(cells), cells, order }));
      const pages = new Set(blocks.map(({ block }) => arena.pageOf(block)));
      for (const { block, cells } of blocks.toSorted((a, b) => a.order - b.order)) arena.release(block, cells);
      expect(arena.usedBytes).toBe(0);
      for (let quarter = 0; quarter < pages.size * 4; quarter++) {
        expect(pages.has(arena.pageOf(arena.allocate(16_384)))).toBe(true);
      }
    }),
    { seed: 2, numRuns: 30 },
  );
});

it('takes up what was given back', () => {
  const arena = new Arena();
  const first = arena.allocate(19);
  arena.release(first, 19);
  expect(arena.allocate(20)).toBe(first);
  const large = arena.allocate(50_000);
  arena.release(large, 50_000);
  expect(arena.allocate(56_000)).toBe(large);
});

it('cuts what it needs from a larger block that was given back, and the rest of it', () => {
  const arena = new Arena();
  const large = arena.allocate(256);
  arena.release(large, 256);
  const blocks = [32, 96, 56, 72].map((cells) => arena.allocate(cells));
  expect(blocks).toEqual([large, large + 32, large + 128, large + 184]);
  expect(arena.usedBytes).toBe(256 * 8);
});

it('uses what is left of a page before it makes another', () => {
  const arena = new Arena();
  const most = 16_384;
  const first = [most, most, most, most - 5_000].map((cells) => arena.allocate(cells));
  const next = arena.allocate(most);
  const filling = [2_048, 1_024, 1_024].map((cells) => arena.allocate(cells));
  expect(arena.pageOf(next)).not.toBe(arena.pageOf(first[0]!));
  for (const block of filling) expect(arena.pageOf(block)).toBe(arena.pageOf(first[0]!));
});

it.each([
  [32, [24, 8]],
  [48, [36, 12]],
  [64, [44, 20]],
  [200, [112, 88]],
])('makes of free blocks of %d cells blocks of %j, and nothing is lost between them', (large, small) => {
  const arena = new Arena();
  const before = Array.from({ length: 5_000 }, () => arena.allocate(large));
  const pages = new Set(before.map((block) => arena.pageOf(block)));
  for (const block of before) arena.release(block, large);
  for (const cells of small) {
    for (let count = 0; count < 5_000; count++) pages.add(arena.pageOf(arena.allocate(cells)));
  }
  expect(arena.usedBytes).toBe(5_000 * large * 8);
  expect(pages.size).toBe(Math.ceil((5_000 * large) / 65_536));
});

it.each([1, 8, 9, 12, 13, 16, 17, 24, 25, 33, 63, 65, 100, 129, 16_383, 65_536])(
  'has a block of %d cells with at most a ninth left over, and one cell',
  (cells) => {
    expect(sizeOf(cells)).toBeGreaterThanOrEqual(cells);
    expect(sizeOf(cells)).toBeLessThanOrEqual(Math.max(8, (cells * 9) / 8 + 1));
    expect(sizeOf(sizeOf(cells))).toBe(sizeOf(cells));
  },
);
