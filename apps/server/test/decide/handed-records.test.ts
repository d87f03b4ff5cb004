import type { EpochMs } from '@ringfence/contract';
import { type StoredBlock, storedBlock } from '@ringfence/log';
import { describe, expect, it } from 'vitest';
import { HandedRecords } from '../../src/decide/handed-records.ts';

function block(firstOffset: number, count: number, bytes = 1): StoredBlock {
  const entries = Array.from({ length: count }, () => ({ kind: 'tick', payload: new Uint8Array(bytes) }) as const);
  return storedBlock(entries, { firstOffset, epoch: 7, logTimeMs: 5 as EpochMs, retryOf: undefined });
}

function offsets(handed: HandedRecords, offset: number, most = 500): readonly number[] {
  return handed.take(offset, most).map((record) => record.offset);
}

describe('handed records', () => {
  it('are taken in order, each once', () => {
    const handed = new HandedRecords();
    handed.add(block(3, 2));
    handed.add(block(5, 1));
    expect(handed.take(3, 500)).toEqual(
      [3, 4, 5].map((offset) => ({
        offset,
        epoch: 7,
        logTimeMs: 5,
        kind: 'tick',
        subject: undefined,
        retryOf: undefined,
        payload: Buffer.alloc(1),
      })),
    );
    expect(offsets(handed, 6)).toEqual([]);
  });

  it('end before a gap, and before a block that would be too many', () => {
    const handed = new HandedRecords();
    for (const one of [block(0, 3), block(3, 3), block(8, 2)]) handed.add(one);
    expect(offsets(handed, 0, 5)).toEqual([0, 1, 2]);
    expect(offsets(handed, 3)).toEqual([3, 4, 5]);
    expect(offsets(handed, 6)).toEqual([]);
    expect(offsets(handed, 8)).toEqual([8, 9]);
  });

  it('of several threads are taken in order, however they arrive', () => {
    const handed = new HandedRecords();
    for (const one of [block(5, 1), block(0, 3), block(6, 2), block(3, 2)]) handed.add(one);
    expect(offsets(handed, 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('before the offset are forgotten, in the middle of a block as well', () => {
    const handed = new HandedRecords();
    for (const one of [block(0, 3), block(3, 3)]) handed.add(one);
    expect(offsets(handed, 5)).toEqual([5]);
    expect(offsets(handed, 0)).toEqual([]);
  });

  it('are bounded: a block without a place is dropped, and found missing', () => {
    const handed = new HandedRecords();
    for (let offset = 0; offset < 5; offset++) handed.add(block(offset, 1, 1024 * 1024));
    handed.add(block(5, 1));
    expect(offsets(handed, 0)).toEqual([0, 1, 2]);
    expect(offsets(handed, 3)).toEqual([]);
    expect(offsets(handed, 5)).toEqual([5]);
  });

  it('are gone after clear', () => {
    const handed = new HandedRecords();
    handed.add(block(0, 1));
    handed.clear();
    expect(offsets(handed, 0)).toEqual([]);
  });
});
