import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type EventLog,
  type LogRecord,
  LogUnavailableError,
  PartitionClosedError,
  StaleGenerationError,
  UnknownPartitionError,
} from '../src/log.ts';
import { recordsOf } from '../src/stored-block.ts';
import { bytes, entry, epochOf, everyKind, keyed, type LogHarness, offsetOf, TestClock } from './log-harness.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Short ranges, so that a handful of records fills several. */
const rangeRecords = 4;

/** Tests the guarantees of `EventLog`. Call once per implementation, from its own test file. */
export function logConformance<Log extends EventLog>(name: string, harness: LogHarness<Log>): void {
  describe(`EventLog: ${name}`, () => {
    let partitionsMade = 0;
    let clock: TestClock;
    let log: Log;
    let p: string;

    beforeEach(async () => {
      clock = new TestClock();
      log = await harness.open(clock, rangeRecords);
      partitionsMade += 1;
      p = `p${String(partitionsMade)}`;
      await log.createPartition(p);
    });
    afterEach(() => log.close());

    const fill = async (count: number): Promise<void> => {
      await Promise.all(Array.from({ length: count }, (_, index) => log.append(p, entry(index))));
    };
    const offsets = async (fromOffset: number, limit: number): Promise<readonly number[]> =>
      (await log.read(p, fromOffset, limit)).map(({ offset }) => offset);

    describe('append', () => {
      it('assigns dense offsets from 0, separately for each partition', async () => {
        const other = `${p}-other`;
        await log.createPartition(other);
        expect(offsetOf(await log.append(p, entry(1)))).toBe(0);
        expect(offsetOf(await log.append(other, entry(2)))).toBe(0);
        expect(offsetOf(await log.append(p, entry(3)))).toBe(1);
        expect(await log.head(p)).toMatchObject({ start: 0, end: 2 });
        expect(await log.head(other)).toMatchObject({ start: 0, end: 1 });
      });

      it('assigns offsets in the order of the calls, even with hundreds waiting, across several ranges', async () => {
        await log.close();
        log = await harness.open(clock, 250);
        const other = `${p}-other`;
        p = `${p}-long`;
        await log.createPartition(p);
        await log.createPartition(other);
        const calls = Array.from({ length: 1_200 }, (_, index) => index);
        const appended = await Promise.all(
          calls.map((index) => log.append(index % 3 === 0 ? other : p, entry(index % 256))),
        );
        const inP = calls.filter((index) => index % 3 !== 0);
        expect(inP.map((index) => offsetOf(appended[index]!))).toEqual(inP.map((_, offset) => offset));
        const records = await log.read(p, 0, 10_000);
        expect(records.map(({ payload }) => payload[0])).toEqual(inP.map((index) => index % 256));
      });

      it.each(everyKind)('keeps the kind %s, the subject and every byte', async (kind) => {
        const payloads = [
          bytes(),
          bytes(...Array.from({ length: 256 }, (_, index) => index)),
          new Uint8Array(128 * 1024),
        ];
        await Promise.all(
          payloads.map((payload, index) =>
            log.append(p, { kind, payload, ...(index === 1 ? { subject: 'null' } : {}) }),
          ),
        );
        const records = await log.read(p, 0, 10);
        expect(records.map((record) => record.kind)).toEqual([kind, kind, kind]);
        expect(records.map((record) => record.subject)).toEqual([undefined, 'null', undefined]);
        expect(records.map((record) => Buffer.from(record.payload))).toEqual(
          payloads.map((payload) => Buffer.from(payload)),
        );
      });

      it('stamps with the clock, but never earlier than the previous record', async () => {
        const first = clock.nowMs;
        expect(await log.append(p, entry(1))).toMatchObject({ logTimeMs: first });
        clock.nowMs = first - 3_600_000;
        expect(await log.append(p, entry(2))).toMatchObject({ logTimeMs: first });
        clock.nowMs = first + 1;
        expect(await log.append(p, entry(3))).toMatchObject({ logTimeMs: first + 1 });
        expect((await log.read(p, 0, 10)).map(({ logTimeMs }) => logTimeMs)).toEqual([first, first, first + 1]);
        expect(await log.head(p)).toMatchObject({ logTimeMs: first + 1 });
      });

      it('rejects entries beyond its bounds, and an unknown partition', async () => {
        await expect(log.append(p, entry(1, { payload: new Uint8Array(128 * 1024 + 1) }))).rejects.toThrow('128 KiB');
        await expect(log.append(p, entry(1, { subject: 'a"b' }))).rejects.toThrow('a subject is an id');
        const right = new Uint8Array(64);
        for (const wrong of [new Uint8Array(0), new Uint8Array(65)]) {
          const [noKey, noFingerprint] = [
            entry(1, { idempotency: { key: wrong, fingerprint: right } }),
            entry(1, { idempotency: { key: right, fingerprint: wrong } }),
          ];
          await expect(log.append(p, noKey)).rejects.toThrow('have 1 to 64 bytes');
          await expect(log.append(p, noFingerprint)).rejects.toThrow('have 1 to 64 bytes');
        }
        for (const offset of [-1, 0.5, Number.NaN]) {
          await expect(log.read(p, offset, 1)).rejects.toThrow('an offset is');
          await expect(log.dropBefore(p, offset)).rejects.toThrow('an offset is');
        }
        await expect(log.append('nowhere', entry(1))).rejects.toThrow(UnknownPartitionError);
        await expect(log.read('nowhere', 0, 1)).rejects.toThrow(UnknownPartitionError);
        await expect(log.head('nowhere')).rejects.toThrow(UnknownPartitionError);
        await expect(log.dropBefore('nowhere', 0)).rejects.toThrow(UnknownPartitionError);
        expect(await log.head(p)).toMatchObject({ end: 0 });
      });
    });

    describe('an idempotency key', () => {
      it('marks a retry with the offset of the first entry, and keeps the retry in the log', async () => {
        await log.append(p, entry(0));
        expect(await log.append(p, keyed(1, 7, 1))).not.toHaveProperty('retryOf');
        expect(await log.append(p, keyed(1, 7, 1))).toMatchObject({ offset: 2, retryOf: 1 });
        expect(await log.append(p, keyed(1, 7, 1))).toMatchObject({ offset: 3, retryOf: 1 });
        expect((await log.read(p, 0, 10)).map(({ retryOf }) => retryOf)).toEqual([undefined, undefined, 1, 1]);
      });

      it('rejects another body, and appends nothing', async () => {
        await log.append(p, keyed(1, 7, 1));
        expect(await log.append(p, keyed(2, 7, 2))).toEqual({ kind: 'conflict' });
        expect(await log.head(p)).toMatchObject({ end: 1 });
      });

      it('is looked up among appends that wait together', async () => {
        const appended = await Promise.all([
          log.append(p, keyed(1, 7, 1)),
          log.append(p, entry(9)),
          log.append(p, keyed(1, 7, 1)),
          log.append(p, keyed(2, 7, 2)),
          log.append(p, keyed(3, 8, 3)),
        ]);
        expect(appended).toMatchObject([
          { offset: 0 },
          { offset: 1 },
          { retryOf: 0 },
          { kind: 'conflict' },
          { kind: 'appended' },
        ]);
        // Other appends may overtake the retry.
        expect(new Set([offsetOf(appended[2]), offsetOf(appended[4])])).toEqual(new Set([2, 3]));
        expect(appended[4]).not.toHaveProperty('retryOf');
      });

      it('belongs to its partition', async () => {
        const other = `${p}-other`;
        await log.createPartition(other);
        await log.append(p, keyed(1, 7, 1));
        expect(await log.append(other, keyed(2, 7, 2))).toMatchObject({ offset: 0 });
      });

      it('is kept for 24 h of log time, and then free for another body', async () => {
        const first = clock.nowMs;
        await log.append(p, keyed(1, 7, 1));
        clock.nowMs = first + dayMs - 1;
        expect(await log.append(p, keyed(2, 7, 2))).toEqual({ kind: 'conflict' });
        clock.nowMs = first + dayMs;
        expect(await log.append(p, keyed(2, 7, 2))).toMatchObject({ kind: 'appended', offset: 1 });
        expect(await log.append(p, keyed(2, 7, 2))).toMatchObject({ offset: 2, retryOf: 1 });
      });
    });

    describe('a generation', () => {
      it('grows with a fenced append, and excludes what was encrypted before it', async () => {
        expect(await log.append(p, entry(1), 0)).toMatchObject({ offset: 0 });
        expect(await log.appendFenced(p, entry(2, { kind: 'erase' }), async () => {})).toMatchObject({ offset: 1 });
        expect(await log.head(p)).toMatchObject({ generation: 1, end: 2 });
        await expect(log.append(p, entry(3), 0)).rejects.toThrow(StaleGenerationError);
        expect(await log.append(p, entry(4), 1)).toMatchObject({ offset: 2 });
        expect(await log.append(p, entry(5))).toMatchObject({ offset: 3 });
      });

      it('excludes only the stale ones of appends that wait together', async () => {
        await log.appendFenced(p, entry(0), async () => {});
        const appended = await Promise.allSettled([
          log.append(p, entry(1), 1),
          log.append(p, entry(2), 0),
          log.append(p, keyed(3, 7, 1), 0),
          log.append(p, keyed(4, 8, 1), 1),
          log.append(p, entry(5)),
        ]);
        expect(appended.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
          'fulfilled',
        ]);
        expect((await log.read(p, 1, 10)).map(({ payload }) => payload[0])).toEqual([1, 4, 5]);
        // The key of the rejected entry is free; the other one is stored, with the right offset.
        expect(await log.append(p, keyed(6, 7, 9))).not.toHaveProperty('retryOf');
        expect(await log.append(p, keyed(4, 8, 1))).toMatchObject({ retryOf: 2 });
      });
    });

    describe.each([
      ['appendWith', 0],
      ['appendFenced', 1],
    ] as const)('%s', (method, raised) => {
      it('runs the work once, and stores nothing when the work fails', async () => {
        let times = 0;
        const appended = await log[method](p, entry(1), async () => void (times += 1));
        expect([times, appended.kind]).toEqual([1, 'appended']);
        const failing = log[method](p, entry(2), () => Promise.reject(new Error('changed my mind')));
        await expect(failing).rejects.toThrow('changed my mind');
        expect((await log.head(p)).end).toBe(1);
      });

      it('commits the work with the entry, or neither', async ({ skip }) => {
        const notes = harness.notes ?? skip('this log has no transactions');
        await log[method](p, entry(1), (transaction) => notes.write(transaction, `${p} kept`));
        const failing = log[method](p, entry(2), async (transaction) => {
          await notes.write(transaction, `${p} undone`);
          throw new Error('changed my mind');
        });
        await expect(failing).rejects.toThrow('changed my mind');
        expect((await notes.all()).filter((text) => text.startsWith(`${p} `))).toEqual([`${p} kept`]);
        expect(await log.head(p)).toMatchObject({ end: 1, generation: raised });
      });

      it('rolls the work back when its key was used with another body', async ({ skip }) => {
        const notes = harness.notes ?? skip('this log has no transactions');
        await log.append(p, keyed(1, 7, 1));
        const conflict = log[method](p, keyed(2, 7, 2), (transaction) => notes.write(transaction, `${p} undone`));
        expect(await conflict).toEqual({ kind: 'conflict' });
        expect((await notes.all()).filter((text) => text.startsWith(`${p} `))).toEqual([]);
        expect(await log.head(p)).toMatchObject({ end: 1, generation: 0 });
      });
    });

    describe('read', () => {
      it('returns any part, in order, across ranges, the same as slicing the whole', async () => {
        await fill(11);
        const stretch = fc.record({ fromOffset: fc.nat(14), limit: fc.integer({ min: 1, max: 14 }) });
        await fc.assert(
          fc.asyncProperty(stretch, async ({ fromOffset, limit }) => {
            const whole = Array.from({ length: 11 }, (_, offset) => offset);
            expect(await offsets(fromOffset, limit)).toEqual(whole.slice(fromOffset, fromOffset + limit));
          }),
          { seed: 1, numRuns: 60 },
        );
      });

      it('returns nothing at the end and beyond it, also for an empty log and full ranges', async () => {
        expect(await offsets(0, 10)).toEqual([]);
        await fill(rangeRecords);
        expect(await offsets(rangeRecords, 10)).toEqual([]);
        expect(await offsets(1_000_000, 10)).toEqual([]);
      });

      it('rejects a limit out of bounds', async () => {
        await expect(log.read(p, 0, 0)).rejects.toThrow('a limit is');
        await expect(log.read(p, 0, 10_001)).rejects.toThrow('a limit is');
      });
    });

    describe('dropBefore', () => {
      it('drops whole ranges only, keeps the rest readable and continues to count', async () => {
        await fill(10);
        expect(await log.dropBefore(p, rangeRecords - 1)).toBe(0);
        expect(await log.dropBefore(p, 2 * rangeRecords - 1)).toBe(rangeRecords);
        expect(await log.head(p)).toMatchObject({ start: rangeRecords, end: 10 });
        expect(await offsets(0, 10)).toEqual([4, 5, 6, 7, 8, 9]);
        expect(await offsets(9, 10)).toEqual([9]);
        expect(offsetOf(await log.append(p, entry(1)))).toBe(10);
      });

      it('never goes back, nor beyond the end', async () => {
        await fill(rangeRecords);
        expect(await log.dropBefore(p, 1_000)).toBe(rangeRecords);
        expect(await log.dropBefore(p, 0)).toBe(rangeRecords);
        expect(await log.head(p)).toMatchObject({ start: rangeRecords, end: rangeRecords });
        expect(await offsets(0, 10)).toEqual([]);
        expect(offsetOf(await log.append(p, entry(1)))).toBe(rangeRecords);
        expect(await offsets(0, 10)).toEqual([rangeRecords]);
      });
    });

    describe('deleteBefore', () => {
      it('removes single records up to the limit, keeps the rest readable and continues to count', async () => {
        await fill(10);
        expect(await log.deleteBefore(p, 6, 4)).toBe(4);
        expect(await log.deleteBefore(p, 6, 4)).toBe(6);
        expect(await log.deleteBefore(p, 6, 4)).toBe(6);
        expect(await log.head(p)).toMatchObject({ start: 6, end: 10 });
        expect(await offsets(0, 10)).toEqual([6, 7, 8, 9]);
        expect(offsetOf(await log.append(p, entry(1)))).toBe(10);
      });

      it('never goes back, nor beyond the end, and agrees with dropBefore', async () => {
        await fill(rangeRecords + 1);
        expect(await log.deleteBefore(p, 2, 10)).toBe(2);
        expect(await log.dropBefore(p, 3)).toBe(2);
        expect(await offsets(0, 10)).toEqual([2, 3, 4]);
        expect(await log.dropBefore(p, rangeRecords)).toBe(rangeRecords);
        expect(await log.deleteBefore(p, 0, 10)).toBe(rangeRecords);
        expect(await log.deleteBefore(p, 1_000, 10)).toBe(rangeRecords + 1);
        expect(await offsets(0, 10)).toEqual([]);
        expect(offsetOf(await log.append(p, entry(1)))).toBe(rangeRecords + 1);
        expect(await offsets(0, 10)).toEqual([rangeRecords + 1]);
      });

      it('rejects a limit out of bounds', async () => {
        await expect(log.deleteBefore(p, 1, 0)).rejects.toThrow('a limit is');
      });
    });

    describe('purgeKeys', () => {
      beforeEach(async () => {
        clock.nowMs += 10 * dayMs; // keys of other tests are expired by now
        await log.purgeKeys();
      });

      it('removes what is older than 24 h by log time, and nothing younger', async () => {
        const first = clock.nowMs;
        await log.append(p, keyed(1, 1, 1));
        clock.nowMs = first + 1;
        await log.append(p, keyed(2, 2, 1));
        clock.nowMs = first + dayMs;
        await log.append(p, entry(3));
        expect(await log.purgeKeys()).toBe(1);
        expect(await log.purgeKeys()).toBe(0);
        expect(await log.append(p, keyed(2, 2, 1))).toMatchObject({ retryOf: 1 });
      });

      it('also does so in a partition without new records, once no clock skew can matter', async () => {
        const first = clock.nowMs;
        await log.append(p, keyed(1, 1, 1));
        clock.nowMs = first + dayMs + minuteMs - 1;
        expect(await log.purgeKeys()).toBe(0);
        clock.nowMs = first + dayMs + minuteMs;
        expect(await log.purgeKeys()).toBe(1);
      });
    });

    describe('a closed partition', () => {
      it('takes no entry, whichever append is asked, and stays readable; others go on', async () => {
        const other = `${p}-other`;
        await log.createPartition(other);
        await log.append(p, entry(0));
        await harness.closePartition(log, p);
        const [closed, open] = await Promise.allSettled([log.append(p, entry(1)), log.append(other, entry(2))]);
        expect(closed).toMatchObject({ status: 'rejected', reason: new PartitionClosedError(p) });
        expect(open).toMatchObject({ status: 'fulfilled', value: { offset: 0 } });
        for (const append of [log.appendWith.bind(log), log.appendFenced.bind(log)]) {
          await expect(append(p, entry(3), async () => {})).rejects.toThrow(PartitionClosedError);
        }
        expect(await offsets(0, 10)).toEqual([0]);
        expect(await log.head(p)).toMatchObject({ end: 1 });
      });
    });

    describe('an epoch', () => {
      it('starts as the second of its creation, and grows with the first append after every failover', async () => {
        const made = Math.floor(clock.nowMs / 1000);
        expect(await log.head(p)).toMatchObject({ epoch: made });
        await harness.beginLife(log, p);
        expect(await log.append(p, entry(1))).toMatchObject({ epoch: made + 1 });
        clock.nowMs -= 3_600_000;
        await harness.beginLife(log, p);
        expect(await log.append(p, entry(2))).toMatchObject({ epoch: made + 2 });
        clock.nowMs += 7_200_000;
        await harness.beginLife(log, p);
        expect(await log.append(p, entry(3))).toMatchObject({ epoch: made + 3_600 });
        expect(await log.head(p)).toMatchObject({ epoch: made + 3_600 });
      });

      it('stays with the records that were appended under it', async () => {
        const before = await log.append(p, entry(0));
        await harness.beginLife(log, p);
        const [first, second] = await Promise.all([log.append(p, entry(1)), log.append(p, entry(2))]);
        const epochs = [before, first, second, await log.append(p, entry(3))].map(epochOf);
        expect(epochs[1]).toBeGreaterThan(epochs[0]!);
        expect(new Set(epochs.slice(1)).size).toBe(1);
        expect((await log.read(p, 0, 10)).map(({ epoch }) => epoch)).toEqual(epochs);
      });

      it('rejects what was encrypted before the failover: its key may be lost', async () => {
        const { generation } = await log.head(p);
        await log.append(p, entry(0), generation);
        await harness.beginLife(log, p);
        await expect(log.append(p, entry(1), generation)).rejects.toThrow(StaleGenerationError);
        await expect(log.append(p, entry(2), generation)).rejects.toThrow(StaleGenerationError);
        const present = await log.head(p);
        expect(await log.append(p, entry(3), present.generation)).toMatchObject({ offset: 1, epoch: present.epoch });

        // The lost history may have raised the generation as well, by any number of erased clients.
        expect(present.generation).toBeGreaterThan(generation + 1_000_000);
      });
    });

    describe('a partition', () => {
      it('does not change when it is created again', async () => {
        await log.append(p, entry(1));
        const before = await log.head(p);
        clock.nowMs += 60_000;
        await log.createPartition(p);
        expect(await log.head(p)).toEqual(before);
      });

      it('must be named by an id', async () => {
        await expect(log.createPartition("x'; DROP TABLE y")).rejects.toThrow('a partition is an id');
      });
    });

    describe('onAppend', () => {
      it('calls the listener after a commit, until it is removed', async () => {
        const listener = vi.fn<(partition: string, end: number) => void>();
        const stop = log.onAppend((partition, end) => listener(partition, end));
        await log.append(p, entry(1));
        await expect.poll(() => listener.mock.calls).toContainEqual([p, 1]);
        await Promise.all([log.append(p, entry(2)), log.append(p, entry(3))]);
        await expect.poll(() => listener.mock.calls).toContainEqual([p, 3]);
        await log.appendFenced(p, entry(4), async () => {});
        await expect.poll(() => listener.mock.calls).toContainEqual([p, 4]);
        stop();
        listener.mockClear();
        await log.append(p, entry(5));
        await log.head(p);
        expect(listener).not.toHaveBeenCalled();
      });

      it('copies blocks that contain what is read', async () => {
        const copied: LogRecord[] = [];
        const stop = log.onAppend((partition, _end, block) => {
          if (partition === p && block !== undefined) copied.push(...recordsOf(block()));
        });
        const [first, conflict] = [keyed(3, 1, 2), keyed(4, 1, 9)];
        await Promise.all([log.append(p, entry(1)), log.append(p, entry(2, { subject: 'sub_1' }))]);
        await log.append(p, first);
        await Promise.all([log.append(p, first), log.append(p, entry(5))]);
        await Promise.all([
          log.append(p, conflict),
          log.append(p, entry(6)),
          log.append(p, entry(7), 77).catch(() => {}),
        ]);
        await log.append(p, entry(8, { payload: new Uint8Array(20_000).fill(8) }));
        stop();
        const read = new Map((await log.read(p, 0, 100)).map((record) => [record.offset, comparable(record)]));
        expect(read.size).toBe(7);
        expect(copied.map(comparable)).toEqual(copied.map(({ offset }) => read.get(offset)));
        const offsets = copied.map(({ offset }) => offset);
        expect(offsets).toEqual([...new Set(offsets)].toSorted((a, b) => a - b));
        const copiedAtLeast = harness.copiesBlocks === true ? [0, 1, 2, 6] : [];
        expect(offsets).toEqual(expect.arrayContaining(copiedAtLeast));
      });
    });

    describe('close', () => {
      it('stores what was waiting, and accepts no more', async () => {
        const waiting = Promise.all([log.append(p, entry(1)), log.append(p, entry(2))]);
        await log.close();
        expect((await waiting).map(offsetOf)).toEqual([0, 1]);
        await expect(log.append(p, entry(3))).rejects.toThrow(LogUnavailableError);
        await expect(log.appendFenced(p, entry(3), async () => {})).rejects.toThrow(LogUnavailableError);
        await expect(log.head(p)).rejects.toThrow(LogUnavailableError);
      });
    });
  });
}

function comparable({ payload, ...record }: LogRecord): object {
  return { ...record, payload: Buffer.from(payload).toString('hex') };
}
