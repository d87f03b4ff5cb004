import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Arena, offsetMask, sizeOf } from '../../../src/store/memory/arena.ts';

const pageCells = offsetMask + 1;
/** The largest block that shares a page. */
const sharedMax = pageCells / 4;

/** Blocks are allocated, and released by their index among the allocated ones. */
const moves = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: make(1, 300) },
    { weight: 3, arbitrary: make(sharedMax - 400, sharedMax + 400) },
    { weight: 1, arbitrary: make(pageCells - 400, pageCells + 400) },
    { weight: 20, arbitrary: fc.record({ kind: fc.constant('give back' as const), place: fc.nat() }) },
  ),
  { maxLength: 300 },
);

function make(min: number, max: number) {
  return fc.record({ kind: fc.constant('make' as const), cells: fc.integer({ min, max }) });
}

it('never allocates the same memory twice', () => {
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

it('joins released blocks, in any order, until whole pages are free', () => {
  const sizes = fc.array(
    fc.record({ cells: fc.integer({ min: 1, max: Math.floor(pageCells / 160) }), order: fc.nat() }),
    {
      minLength: 500,
      maxLength: 900,
    },
  );
  fc.assert(
    fc.property(sizes, (given) => {
      const arena = new Arena();
      const blocks = given.map(({ cells, order }) => ({ block: arena.allocate(cells), cells, order }));
      const pages = new Set(blocks.map(({ block }) => arena.pageOf(block)));
      for (const { block, cells } of blocks.toSorted((a, b) => a.order - b.order)) arena.release(block, cells);
      expect(arena.usedBytes).toBe(0);
      const smallestFirst = [...pages].map(({ cells }) => cells.length).toSorted((a, b) => a - b);
      for (const size of smallestFirst) {
        for (let quarter = 0; quarter < 4; quarter++) {
          expect(pages.has(arena.pageOf(arena.allocate(size / 4)))).toBe(true);
        }
      }
    }),
    { seed: 2, numRuns: 30 },
  );
});

it('reuses released blocks', () => {
  const arena = new Arena();
  const first = arena.allocate(19);
  arena.release(first, 19);
  expect(arena.allocate(20)).toBe(first);
  const large = arena.allocate(sharedMax * 3);
  arena.release(large, sharedMax * 3);
  expect(arena.allocate(sharedMax * 4)).toBe(large);
});

it('splits a larger released block, and uses the rest', () => {
  const arena = new Arena();
  const large = arena.allocate(256);
  arena.release(large, 256);
  const blocks = [32, 96, 56, 72].map((cells) => arena.allocate(cells));
  expect(blocks).toEqual([large, large + 32, large + 128, large + 184]);
  expect(arena.usedBytes).toBe(256 * 8);
});

it('uses the rest of a page before it adds another', () => {
  const arena = new Arena();
  const most = sharedMax;
  const first = [most, most, most, most - 80_000].map((cells) => arena.allocate(cells));
  const next = arena.allocate(most);
  const filling = [32_768, 16_384, 16_384].map((cells) => arena.allocate(cells));
  const isInFirst = [...filling, next].map((block) => arena.pageOf(block) === arena.pageOf(first[0]!));
  expect(isInFirst).toEqual([true, true, true, false]);
});

it.each([
  [32, [24, 8]],
  [48, [36, 12]],
  [64, [44, 20]],
  [200, [112, 88]],
])('splits free blocks of %d cells into blocks of %j without a loss', (large, small) => {
  const arena = new Arena();
  const blocks = 40_000;
  const before = Array.from({ length: blocks }, () => arena.allocate(large));
  const pages = new Set(before.map((block) => arena.pageOf(block)));
  for (const block of before) arena.release(block, large);
  for (const cells of small) {
    for (let count = 0; count < blocks; count++) pages.add(arena.pageOf(arena.allocate(cells)));
  }
  expect(arena.usedBytes).toBe(blocks * large * 8);
  let [needed, room] = [0, 0];
  for (const { cells } of pages) if (room < blocks * large) [needed, room] = [needed + 1, room + cells.length];
  expect(pages.size).toBe(needed);
});

it.each([1, 8, 9, 12, 13, 16, 17, 24, 25, 33, 63, 65, 100, 129, 16_383, 65_536])(
  'has a block of %d cells with at most a ninth and one cell unused',
  (cells) => {
    expect(sizeOf(cells)).toBeGreaterThanOrEqual(cells);
    expect(sizeOf(cells)).toBeLessThanOrEqual(Math.max(8, (cells * 9) / 8 + 1));
    expect(sizeOf(sizeOf(cells))).toBe(sizeOf(cells));
  },
);
