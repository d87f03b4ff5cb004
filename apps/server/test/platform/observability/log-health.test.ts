import type { EpochMs } from '@ringfence/contract';
import { LogUnavailableError } from '@ringfence/log';
import { MemoryLog } from '@ringfence/log/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { LogHealth } from '../../../src/platform/observability/log-health.ts';

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
  const refuse = (): void => health.refused('bank', new Error('no room for an event'));
  /** The reason as it appears in the log of the process. */
  const whyFailed = async (): Promise<unknown> => {
    const error = await health.isWell().catch((caught: unknown) => caught);
    return error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : error;
  };
  const kinds = async (): Promise<readonly string[]> => (await log.read('bank', 0, 10)).map(({ kind }) => kind);

  it('is well while no event is refused, without appending to the log', async () => {
    expect(await health.isWell()).toBe(true);
    health.stored();
    nowMs = 60_000;
    expect(await health.isWell()).toBe(true);
    expect(await kinds()).toEqual([]);
  });

  it('is well while some events are stored, however many are refused', async () => {
    isFull = true;
    for (nowMs = 0; nowMs < 30_000; nowMs += 1_000) {
      refuse();
      refuse();
      health.stored();
      refuse();
      expect(await health.isWell()).toBe(true);
    }
  });

  it('fails with the reason once every event was refused for 5 s', async () => {
    refuse();
    nowMs = 4_999;
    expect(await health.isWell()).toBe(true);
    refuse();
    nowMs = 5_000;
    expect(await whyFailed()).toBe('no room for an event');
    expect(await kinds()).toEqual([]);
  });

  it('fails as long as every event is refused, even if a tick would be stored', async () => {
    refuse();
    for (nowMs = 5_000; nowMs < 60_000; nowMs += 1_000) {
      refuse();
      expect(await whyFailed()).toBe('no room for an event');
    }
    expect(await kinds()).toEqual([]);
  });

  it('appends ticks as large as an event once none came for 5 s, until one is stored', async () => {
    isFull = true;
    refuse();
    nowMs = 5_000;
    expect(await whyFailed()).toBe('the disk is full');
    expect(await whyFailed()).toBe('the disk is full');
    isFull = false;
    expect(await health.isWell()).toBe(true);
    expect(await health.isWell()).toBe(true);
    const records = await log.read('bank', 0, 10);
    expect(records).toMatchObject([{ kind: 'tick', payload: { byteLength: 8_192 } }]);
  });

  it('fails immediately when the next event after a stored tick is refused', async () => {
    refuse();
    nowMs = 5_000;
    expect(await health.isWell()).toBe(true);
    nowMs = 6_000;
    refuse();
    expect(await whyFailed()).toBe('no room for an event');
    nowMs = 11_000;
    expect(await health.isWell()).toBe(true);
    expect(await kinds()).toEqual(['tick', 'tick']);
    health.stored();
    refuse();
    expect(await health.isWell()).toBe(true);
  });

  it('ignores a stored tick if an event was refused in the meantime', async () => {
    refuse();
    nowMs = 5_000;
    const looking = health.isWell();
    refuse();
    expect(await looking).toBe(false);
    expect(await whyFailed()).toBe('no room for an event');
  });

  it('is well again with the first event that is stored', async () => {
    refuse();
    refuse();
    nowMs = 5_000;
    refuse();
    expect(await whyFailed()).toBe('no room for an event');
    health.stored();
    expect(await health.isWell()).toBe(true);
  });
});
