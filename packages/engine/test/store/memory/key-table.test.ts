import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyTable, type Names, partCount } from '../../../src/store/memory/key-table.ts';
import { cellsOf, KeyText, textAt } from '../../../src/store/memory/key-text.ts';

/** Names of blocks in a map, as a model of the table. */
class NameBook implements Names {
  readonly names = new Map<number, string>();

  isNamed(block: number, key: KeyText): boolean {
    const other = new KeyText([1, 2]);
    other.set(this.names.get(block)!);
    return textOf(other) === textOf(key);
  }
}

function textOf(key: KeyText): string {
  const cells = new Float64Array(key.cells);
  const { buffer } = cells;
  const views = { ints: new Int32Array(buffer), halves: new Uint16Array(buffer), bytes: new Uint8Array(buffer) };
  const page = { cells, ...views };
  key.writeTo(page, 0);
  return textAt(page, 0, key);
}

function keyOf(text: string): KeyText {
  const key = new KeyText([3, 4]);
  key.set(text);
  return key;
}

/** A hash function with frequent collisions, which the table must tolerate. */
function collidingKey(): KeyText {
  const key = new KeyText([1, 2]);
  return new Proxy(key, {
    get: (target, member) => {
      if (member === 'hash') return Math.imul(target.hash & 7, 0x0100_0001);
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const name = fc.constantFrom(...Array.from({ length: 40 }, (_, number) => `name ${number}`));
const moves = fc.array(fc.record({ kind: fc.constantFrom('add', 'remove', 'replace'), name }), { maxLength: 200 });

describe('a table of blocks by name', () => {
  it.each([
    ['', () => new KeyText([1, 2])],
    [' where hashes collide', collidingKey],
  ])('behaves like a map%s', (_, keyOf) => {
    fc.assert(
      fc.property(moves, (history) => {
        const table = new KeyTable();
        const book = new NameBook();
        const blocks = new Map<string, number>();
        const key = keyOf();
        let next = 1;
        for (const { kind, name: text } of history) {
          key.set(text);
          const known = blocks.get(text);
          if (kind === 'add' && known === undefined) {
            book.names.set(next, text);
            table.add(key.hash, next);
            blocks.set(text, next++);
          } else if (kind === 'remove' && known !== undefined) {
            table.remove(key.hash, known);
            blocks.delete(text);
          } else if (kind === 'replace' && known !== undefined) {
            book.names.set(next, text);
            table.replace(key.hash, known, next);
            blocks.set(text, next++);
          }
          expect(table.find(key, book)).toBe(blocks.get(text) ?? 0);
        }
        expect(new Set(table.blocks())).toEqual(new Set(blocks.values()));
        expect(table.count).toBe(blocks.size);
      }),
      { seed: 2, numRuns: 200 },
    );
  });

  it('returns negative numbers in bounded steps, each once', () => {
    const table = new KeyTable();
    const key = new KeyText([1, 2]);
    for (let block = 1; block <= 3_000; block++) {
      key.set(`name ${block}`);
      table.add(key.hash, block % 3 === 0 ? block : -block);
    }
    const seen: number[] = [];
    for (let part = 0, from = 0; part < partCount;) {
      const { found, next } = table.someBelow0(part, from, 4);
      expect(found.length).toBeLessThanOrEqual(4);
      seen.push(...found);
      from = next;
      if (next === 0) part++;
    }
    const below0 = Array.from({ length: 3_000 }, (_, at) => -1 - at).filter((number) => number % 3 !== 0);
    expect(seen.toSorted((a, b) => b - a)).toEqual(below0);
  });
});

describe('a name', () => {
  it('is restored unchanged, whatever its characters', () => {
    const key = new KeyText([3, 4]);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 700 }), fc.string({ maxLength: 40 })), (text) => {
        key.set(text);
        expect(textOf(key)).toBe(text);
        expect(key.cells).toBe(cellsOf(key.length, key.isWide));
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  it('of parts consists of their texts, each after its length', () => {
    const key = new KeyText([3, 4]);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ maxLength: 150 }), fc.string({ unit: 'grapheme', maxLength: 150 })), {
          minLength: 2,
          maxLength: 4,
        }),
        (parts) => {
          key.setParts(parts.map(keyOf));
          expect(textOf(key)).toBe(parts.map((part) => `${part.length}:${part}`).join(''));
          expect(keyOf(textOf(key)).hash).toBe(key.hash);
        },
      ),
      { seed: 4, numRuns: 500 },
    );
  });

  it('has another hash under another key, and if only trailing zeros differ', () => {
    const [one, other] = [new KeyText([3, 4]), new KeyText([3, 5])];
    one.set('ana');
    other.set('ana');
    expect(one.hash).not.toBe(other.hash);
    const before = one.hash;
    one.set('ana\u0000');
    expect(one.hash).not.toBe(before);
  });
});
