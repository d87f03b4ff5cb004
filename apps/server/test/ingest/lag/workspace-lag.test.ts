import { describe, expect, it } from 'vitest';
import { WorkspaceLag } from '../../../src/ingest/lag/workspace-lag.ts';

/** What the engine decides per second in full batches, as modelled below. */
const capacity = 2_000;
const batchRecordsMax = 500;
/** A batch of one takes nearly as long as one of ten. */
const batchMs = 5;

interface Asked {
  readonly atMs: number;
  readonly offset: number;
  readonly expectedMs: number | undefined;
  readonly excessMs: number | undefined;
  readonly lagMs: number;
  /** How long its decision took; `undefined` if it was not decided within the simulated time. */
  tookMs: number | undefined;
}

interface Load {
  readonly seconds: number;
  readonly perSecond: (atMs: number) => number;
  /** While this is true no batch begins. */
  readonly isStopped?: (atMs: number) => boolean;
  readonly lagMaxMs?: number;
  readonly obeys?: boolean;
}

/**
 * A log and an engine in steps of a millisecond: the engine reads what is there, at most a batch, and reports when it is
 * decided. A forecast is made every 20 ms; with `obeys` nothing is sent while events are refused.
 */
function simulate({ seconds, perSecond, isStopped = () => false, lagMaxMs = Infinity, obeys = false }: Load): {
  readonly lag: WorkspaceLag;
  readonly asked: readonly Asked[];
  readonly endMs: number;
} {
  const lag = new WorkspaceLag({ decidedTo: 0, end: 0, lagMs: 0 }, 0);
  const asked: Asked[] = [];
  const endMs = seconds * 1_000;
  let [end, sent, decidedTo, undecided] = [0, 0, 0, 0];
  let batch: { readonly to: number; readonly doneAtMs: number } | undefined;
  for (let atMs = 0; atMs < endMs; atMs++) {
    if (batch !== undefined && atMs >= batch.doneAtMs) {
      decidedTo = batch.to;
      batch = undefined;
      lag.decided(decidedTo, atMs);
      for (; undecided < asked.length && asked[undecided]!.offset < decidedTo; undecided++)
        asked[undecided]!.tookMs = atMs - asked[undecided]!.atMs;
    }
    const excessMs = lag.excessMs(lagMaxMs, atMs);
    if (!obeys || excessMs === undefined) sent += perSecond(atMs) / 1_000;
    if (Math.floor(sent) > end) lag.grown((end = Math.floor(sent)), atMs);
    if (atMs % 20 === 0 && end > 0) {
      const offset = end - 1;
      const told = { expectedMs: lag.expectedMs(offset, atMs), lagMs: lag.lagMs(atMs), excessMs };
      asked.push({ atMs, offset, ...told, tookMs: undefined });
    }
    if (batch === undefined && end > decidedTo && !isStopped(atMs)) {
      const records = Math.min(batchRecordsMax, end - decidedTo);
      const full = batchRecordsMax / capacity - batchMs / 1_000;
      const tookMs = batchMs + (records / batchRecordsMax) * full * 1_000;
      batch = { to: decidedTo + records, doneAtMs: atMs + tookMs };
    }
  }
  return { lag, asked, endMs };
}

const steady = (perSecond: number) => (): number => perSecond;

describe('when a record will be decided', () => {
  it('is known to a fifth under a load that the engine cannot take, once that has lasted a second', () => {
    const { asked } = simulate({ seconds: 12, perSecond: steady(capacity * 1.5) });
    const late = asked.filter(({ atMs, tookMs }) => atMs > 1_500 && tookMs !== undefined);
    expect(late.length).toBeGreaterThan(100);
    for (const { expectedMs, tookMs } of late) {
      expect(expectedMs).toBeGreaterThan(tookMs! * 0.8 - 150);
      expect(expectedMs).toBeLessThan(tookMs! * 1.2 + 150);
    }
  });

  it('is never expected in more than a second under a load that the engine can take', () => {
    const { asked } = simulate({ seconds: 20, perSecond: steady(capacity * 0.8) });
    for (const { expectedMs = 0 } of asked) expect(expectedMs).toBeLessThan(1_000);
  });

  it.each([
    ['a burst', (atMs: number) => (atMs % 5_000 < 100 ? capacity * 4 : capacity * 0.5)],
    ['waves', (atMs: number) => capacity * (0.7 + 0.5 * Math.sin(atMs / 300))],
  ])('is not expected later than it can be because of %s', (_, perSecond) => {
    const { asked } = simulate({ seconds: 20, perSecond });
    for (const { expectedMs = 0, tookMs = Infinity } of asked) expect(expectedMs).toBeLessThan(tookMs + 600);
  });

  it('is unknown without a backlog, and while the engine decides nothing', () => {
    const calm = simulate({ seconds: 5, perSecond: steady(10) });
    expect(calm.asked.every(({ expectedMs }) => expectedMs === undefined)).toBe(true);
    const stopsMs = 5_000;
    const load = { seconds: 10, perSecond: steady(capacity * 1.5), isStopped: (atMs: number) => atMs > stopsMs };
    const { asked } = simulate(load);
    expect(asked.find(({ atMs }) => atMs > stopsMs - 100)!.expectedMs).toBeGreaterThan(1_000);
    const silent = asked.filter(({ atMs }) => atMs > stopsMs + 2_500);
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.every(({ expectedMs }) => expectedMs === undefined)).toBe(true);
  });
});

describe('the lag', () => {
  it('is the age of the oldest undecided record', () => {
    const lag = new WorkspaceLag({ decidedTo: 100, end: 100, lagMs: 0 }, 0);
    expect(lag.lagMs(60_000)).toBe(0);
    lag.grown(101, 60_000);
    lag.grown(103, 61_000);
    lag.grown(104, 62_000);
    expect(lag.lagMs(62_500)).toBe(2_500);
    lag.decided(102, 62_600);
    expect(lag.lagMs(63_000)).toBe(2_000);
    lag.decided(103, 63_000);
    expect(lag.lagMs(63_000)).toBe(1_000);
    lag.decided(102, 63_000);
    lag.decided(104, 63_000);
    expect(lag.lagMs(99_000)).toBe(0);
  });

  it('does not come from notices that are heard before the growth of the log', () => {
    const lag = new WorkspaceLag({ decidedTo: 0, end: 0, lagMs: 0 }, 0);
    lag.decided(5, 10);
    lag.grown(3, 20);
    lag.grown(5, 30);
    expect(lag.lagMs(1_000)).toBe(0);
  });

  it('is known within a percent, in little memory, however long nothing is decided', () => {
    const lag = new WorkspaceLag({ decidedTo: 0, end: 0, lagMs: 0 }, 0);
    const hourMs = 3_600_000;
    for (let atMs = 0; atMs < hourMs; atMs += 20) lag.grown(atMs / 20 + 1, atMs);
    for (const part of [0, 0.1, 0.5, 0.9, 0.999]) {
      const offset = (hourMs * part) / 20;
      lag.decided(offset, hourMs);
      expect(Math.abs(lag.lagMs(hourMs) - hourMs * (1 - part))).toBeLessThan(hourMs / 100);
    }
  });

  it('of a backlog that was found falls while it is decided', () => {
    const lag = new WorkspaceLag({ decidedTo: 1_000, end: 11_000, lagMs: 10_000 }, 0);
    expect(lag.lagMs(0)).toBe(10_000);
    lag.decided(6_000, 1_000);
    expect(Math.abs(lag.lagMs(1_000) - 6_000)).toBeLessThan(500);
    lag.decided(11_000, 2_000);
    expect(lag.lagMs(2_000)).toBe(0);
  });
});

describe('events beyond lagMax', () => {
  const lagMaxMs = 5_000;

  it('are refused so that the wait stays near lagMax, and no more of them than the engine cannot take', () => {
    const load = { seconds: 60, perSecond: steady(capacity * 1.5), lagMaxMs, obeys: true };
    const { asked, lag, endMs } = simulate(load);
    expect(asked.filter(({ atMs }) => atMs < 9_000).every(({ excessMs }) => excessMs === undefined)).toBe(true);
    const later = asked.filter(({ atMs }) => atMs > 12_000 && atMs < 50_000);
    expect(later.some(({ excessMs }) => excessMs !== undefined)).toBe(true);
    for (const { tookMs } of later) expect(tookMs).toBeLessThan(lagMaxMs * 1.1);
    expect(lag.end).toBeGreaterThan(capacity * 0.95 * (endMs / 1_000));
  });

  it('are told after which time the wait is below', () => {
    const { asked } = simulate({ seconds: 20, perSecond: steady(capacity * 2), lagMaxMs });
    const last = asked.at(-1)!;
    expect(last.excessMs! / (last.expectedMs! - lagMaxMs)).toBeCloseTo(1, 1);
  });

  it.each([
    ['a pause', (atMs: number) => atMs > 3_000 && atMs < 33_000],
    ['a takeover', (atMs: number) => atMs > 3_000 && atMs < 16_000],
    ['a start', (atMs: number) => atMs < 20_000],
  ])('are not refused after %s, until the workspace has caught up', (_, isStopped) => {
    const { asked } = simulate({ seconds: 120, perSecond: steady(capacity * 0.6), isStopped, lagMaxMs });
    expect(Math.max(...asked.map(({ expectedMs = 0 }) => expectedMs))).toBeGreaterThan(lagMaxMs);
    expect(asked.every(({ excessMs }) => excessMs === undefined)).toBe(true);
  });

  it('are refused again once it has caught up after a pause', () => {
    const load = {
      seconds: 90,
      isStopped: (atMs: number) => atMs > 3_000 && atMs < 13_000,
      perSecond: (atMs: number) => capacity * (atMs < 60_000 ? 0.5 : 1.5),
      lagMaxMs,
    };
    const { asked } = simulate(load);
    expect(asked.filter(({ atMs }) => atMs < 65_000).every(({ excessMs }) => excessMs === undefined)).toBe(true);
    expect(asked.at(-1)!.excessMs).toBeGreaterThan(0);
  });
});
