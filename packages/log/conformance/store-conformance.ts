import { describe, expect, it } from 'vitest';
import type { RecordStore, StoredBytes } from '../src/record-store.ts';

/** Tests the guarantees of `RecordStore`. `open` gives the same store, or another one on the same data. */
export function recordStoreConformance(name: string, open: () => Promise<RecordStore>): void {
  describe(`RecordStore: ${name}`, () => {
    const all = async (store: RecordStore, partition: number, offset: number): Promise<readonly StoredBytes[]> => {
      const found: StoredBytes[] = [];
      for await (const one of store.after(partition, offset)) found.push(one);
      return found;
    };

    it('gives growing offsets, and back every byte, in each partition', async () => {
      const store = await open();
      expect(store.partitions).toBeGreaterThan(1);
      for (const partition of [0, 1]) {
        const put = [Buffer.from([partition, 1]), Buffer.alloc(600_000, 7), Buffer.alloc(0), Buffer.from('last')];
        const offsets: number[] = [];
        for (const bytes of put) offsets.push(await store.put(partition, bytes));
        expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
        const found = await store.get(partition, offsets);
        expect(offsets.map((offset) => found.get(offset)?.equals(put[offsets.indexOf(offset)]!))).toEqual(
          put.map(() => true),
        );
        const single = await store.get(partition, [offsets[3]!]);
        expect(single.get(offsets[3]!)?.toString()).toBe('last');
        const later = await all(store, partition, offsets[1]!);
        expect(later.map(({ offset }) => offset)).toEqual(offsets.slice(1));
      }
    });

    it('takes many at once, in several partitions', async () => {
      const store = await open();
      const put = await Promise.all(
        Array.from(
          { length: 100 },
          async (_, index) => [await store.put(index % 2, Buffer.from([index])), index] as const,
        ),
      );
      for (const partition of [0, 1]) {
        const mine = put.filter(([, index]) => index % 2 === partition);
        const offsets = mine.map(([offset]) => offset);
        const found = await store.get(
          partition,
          offsets.toSorted((a, b) => a - b),
        );
        expect(mine.map(([offset]) => found.get(offset)?.[0])).toEqual(mine.map(([, index]) => index));
        expect(new Set(offsets).size).toBe(50);
      }
    });

    it('finds nothing where nothing was put', async () => {
      const store = await open();
      const offset = await store.put(1, Buffer.from('x'));
      const found = await store.get(1, [offset, offset + 1_000]);
      expect([...found.keys()]).toEqual([offset]);
      expect(await all(store, 1, offset + 1)).toEqual([]);
    });

    it('drops what is before an offset, and keeps the rest', async () => {
      const store = await open();
      const [first, second, third] = [
        await store.put(1, Buffer.from('1')),
        await store.put(1, Buffer.from('2')),
        await store.put(1, Buffer.from('3')),
      ];
      await store.dropBefore(1, second);
      await store.dropBefore(1, first);
      const found = await store.get(1, [first, second, third]);
      expect([...found.keys()]).toEqual([second, third]);
      expect((await all(store, 1, 0)).map(({ offset }) => offset)).toEqual([second, third]);
    });
  });
}
