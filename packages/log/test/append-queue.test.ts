import { describe, expect, it } from 'vitest';
import { entry, keyed } from '../conformance/log-harness.ts';
import {
  batchBytesMax,
  batchEntriesMax,
  payloadBytesMax,
  queueBytesMax,
  queuedMsMax,
  queueEntriesMax,
} from '../src/bounds.ts';
import type { LogEntry } from '../src/log.ts';
import { AppendQueue, type Waiting } from '../src/postgres/append-queue.ts';

function waiting(of: LogEntry, sinceMs = 0, partition = 'p'): Waiting {
  return { partition, entry: of, generation: undefined, sinceMs, resolve: () => {}, reject: () => {} };
}

const large = entry(0, { payload: new Uint8Array(payloadBytesMax) });

describe('AppendQueue', () => {
  it('returns entries in order of arrival', () => {
    const queue = new AppendQueue();
    const all = [1, 2, 3].map((content) => waiting(entry(content)));
    for (const one of all) expect(queue.add(one)).toBe(true);
    expect(queue.takeBatch()).toEqual(all);
    expect(queue.takeBatch()).toEqual([]);
  });

  it('refuses an entry when full, until there is room', () => {
    const queue = new AppendQueue();
    for (let index = 0; index < queueEntriesMax; index += 1) queue.add(waiting(entry(1)));
    expect(queue.add(waiting(entry(1)))).toBe(false);
    queue.takeBatch();
    expect(queue.add(waiting(entry(1)))).toBe(true);
  });

  it('refuses bytes beyond its limit, and subtracts removed entries', () => {
    const queue = new AppendQueue();
    const fits = queueBytesMax / payloadBytesMax;
    for (let index = 0; index < fits; index += 1) expect(queue.add(waiting(large))).toBe(true);
    expect(queue.add(waiting(entry(1)))).toBe(false);
    expect(queue.takeBatch()).toHaveLength(batchBytesMax / payloadBytesMax);
    expect(queue.add(waiting(entry(1)))).toBe(true);
  });

  it('limits the number of entries of a batch', () => {
    const queue = new AppendQueue();
    for (let index = 0; index < batchEntriesMax + 1; index += 1) queue.add(waiting(entry(1)));
    expect(queue.takeBatch()).toHaveLength(batchEntriesMax);
    expect(queue.takeBatch()).toHaveLength(1);
  });

  it('defers the second use of a key to the next batch, and takes what came after it', () => {
    const queue = new AppendQueue();
    const [first, other, again, last] = [
      waiting(keyed(1, 7, 1)),
      waiting(keyed(1, 7, 1), 0, 'other'),
      waiting(keyed(2, 7, 1)),
      waiting(entry(3)),
    ];
    for (const one of [first, other, again, last]) queue.add(one);
    expect(queue.takeBatch()).toEqual([first, other, last]);
    expect(queue.takeBatch()).toEqual([again]);
    expect(queue.takeBatch()).toEqual([]);
  });

  it('keeps its batches large although one sender uses one key for everything', () => {
    const queue = new AppendQueue();
    const count = 1_000;
    for (let index = 0; index < count; index += 1) {
      queue.add(waiting(index % 5 === 0 ? keyed(1, 7, 1) : entry(1)));
    }
    // All entries without a key, and one with it in each.
    expect([queue.takeBatch().length, queue.takeBatch().length]).toEqual([
      batchEntriesMax,
      800 - (batchEntriesMax - 1) + 1,
    ]);
    expect(queue.size).toBe(200 - 2);
  });

  it('counts the bytes of deferred entries', () => {
    const queue = new AppendQueue();
    const content = { payload: new Uint8Array(payloadBytesMax) };
    const fits = queueBytesMax / payloadBytesMax;
    for (let index = 0; index < fits; index += 1) queue.add(waiting({ ...keyed(1, 7, 1), ...content }));
    expect(queue.takeBatch()).toHaveLength(1);
    expect(queue.add(waiting(large))).toBe(true);
    expect(queue.add(waiting(large))).toBe(false);
  });

  it('expires what waited longer than the limit, and nothing else', () => {
    const queue = new AppendQueue();
    const old = waiting(entry(1), 1_000);
    const young = waiting(entry(2), 1_001);
    queue.add(old);
    queue.add(young);
    expect(queue.takeExpired(1_000 + queuedMsMax)).toEqual([]);
    expect(queue.takeExpired(1_001 + queuedMsMax)).toEqual([old]);
    expect(queue.takeBatch()).toEqual([young]);
  });

  it('has its full capacity again after everything expired', () => {
    const queue = new AppendQueue();
    const all = Array.from({ length: queueBytesMax / payloadBytesMax }, () => waiting(large));
    for (const one of all) queue.add(one);
    expect(queue.takeExpired(queuedMsMax + 1)).toEqual(all);
    expect([queue.size, queue.takeExpired(queuedMsMax + 1), queue.takeBatch()]).toEqual([0, [], []]);
    for (const one of all) expect(queue.add(one)).toBe(true);
    expect(queue.add(waiting(entry(1)))).toBe(false);
  });
});
