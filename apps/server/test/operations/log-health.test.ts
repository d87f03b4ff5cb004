import type { EpochMs } from '@ringfence/contract';
import { LogUnavailableError, MemoryLog } from '@ringfence/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { LogHealth } from '../../src/operations/log-health.ts';

describe('the health of the log', () => {
  let nowMs = 0;
  let isFull = false;
  let log: MemoryLog;
  let health: LogHealth;
  beforeEach(async () => {
    [nowMs, isFull] = [0, false];
    log = new MemoryLog({ clock: () => nowMs as EpochMs });
    await log.createPartition('bank');
    health = new LogHealth({
      log: {
        append: async (...what) => {
          if (isFull) throw new LogUnavailableError('the disk is full');
          return log.append(...what);
        },
      },
      monotonicMs: () => nowMs,
    });
  });
  const kinds = async (): Promise<readonly string[]> => (await log.read('bank', 0, 10)).map(({ kind }) => kind);

  it('is well while nobody knows better, and asks the log nothing', async () => {
    expect(await health.isWell()).toBe(true);
    health.stored();
    nowMs = 60_000;
    expect(await health.isWell()).toBe(true);
    expect(await kinds()).toEqual([]);
  });

  it('is well while some events are stored, however many are refused', async () => {
    isFull = true;
    for (nowMs = 0; nowMs < 30_000; nowMs += 1_000) {
      health.refused('bank');
      health.refused('bank');
      health.stored();
      health.refused('bank');
      expect(await health.isWell()).toBe(true);
    }
  });

  it('fails with the reason once every event was refused for 5 s, until a tick is stored', async () => {
    isFull = true;
    health.refused('bank');
    nowMs = 4_999;
    expect(await health.isWell()).toBe(true);
    health.refused('bank');
    nowMs = 5_000;
    await expect(health.isWell()).rejects.toThrow('the disk is full');
    await expect(health.isWell()).rejects.toThrow('the disk is full');
    isFull = false;
    expect(await health.isWell()).toBe(true);
    expect(await kinds()).toEqual(['tick']);
    expect(await health.isWell()).toBe(true);
    expect(await kinds()).toEqual(['tick']);
  });

  it('is well again with the first event that is stored', async () => {
    isFull = true;
    health.refused('bank');
    nowMs = 5_000;
    await expect(health.isWell()).rejects.toThrow('the disk is full');
    health.stored();
    expect(await health.isWell()).toBe(true);
  });
});
