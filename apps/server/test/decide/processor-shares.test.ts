import { describe, expect, it } from 'vitest';
import { type ProcessorShare, ProcessorShares, turnMsMax } from '../../src/decide/processor-shares.ts';

/** A thread whose time passes only by its work and its pauses. */
function thread(): {
  readonly shares: ProcessorShares;
  readonly passed: () => number;
  readonly idle: (ms: number) => void;
  /** Has a workspace work in pieces of this length, until `until`. @returns what it used */
  readonly work: (share: ProcessorShare, pieceMs: number, until: () => boolean) => Promise<number>;
} {
  let nowMs = 0;
  const shares = new ProcessorShares({
    nowMs: () => nowMs,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    sleep: async (ms) => {
      await new Promise((resolve) => setImmediate(resolve));
      nowMs += ms;
    },
  });
  return {
    shares,
    passed: () => nowMs,
    idle: (ms) => void (nowMs += ms),
    work: async (share, pieceMs, until) => {
      let usedMs = 0;
      while (!until()) {
        await share.begin();
        nowMs += pieceMs;
        usedMs += pieceMs;
        share.charge(pieceMs);
      }
      return usedMs;
    },
  };
}

describe('workspaces of equal weight', () => {
  it.each([
    [1, 1],
    [1, 20],
    [3, 7],
  ])('get equal time, with pieces of %i and %i ms', async (oneMs, otherMs) => {
    const { shares, passed, work } = thread();
    const until = (): boolean => passed() >= 10_000;
    const [one, other] = await Promise.all([work(shares.open(8), oneMs, until), work(shares.open(8), otherMs, until)]);
    expect(one / (one + other)).toBeCloseTo(0.5, 1);
  });

  it('are never idle while one of them has work', async () => {
    const { shares, passed, work } = thread();
    const until = (): boolean => passed() >= 10_000;
    const used = await Promise.all([work(shares.open(1), 5, until), work(shares.open(1), 5, until)]);
    expect(used[0] + used[1]).toBe(passed());
  });
});

describe('a lighter workspace', () => {
  it('gets the whole thread alone', async () => {
    const { shares, passed, work } = thread();
    shares.open(8);
    expect(await work(shares.open(1), 5, () => passed() >= 1_000)).toBe(passed());
  });

  it('gets a ninth beside a busy one of weight 8', async () => {
    const { shares, passed, work } = thread();
    const until = (): boolean => passed() >= 60_000;
    const [heavy, light] = await Promise.all([work(shares.open(8), 1, until), work(shares.open(1), 5, until)]);
    expect(light / passed()).toBeCloseTo(1 / 9, 2);
    // At the end the lighter one may pause alone.
    expect(passed() - heavy - light).toBeLessThanOrEqual(40);
  });

  it('gets a ninth even while the heavier one uses little', async () => {
    const { shares, passed, work } = thread();
    const [heavy, light] = [shares.open(8), shares.open(1)];
    const used = await work(light, 5, () => {
      heavy.charge(0);
      return passed() >= 60_000;
    });
    expect(used / passed()).toBeCloseTo(1 / 9, 2);
  });

  it.each([
    { light: 20, heavy: 1, part: 0.25 },
    { light: 1, heavy: 50, part: 0.02 },
  ])('$light of them beside $heavy get $part together', async ({ light, heavy, part }) => {
    const { shares, passed, work } = thread();
    const until = (): boolean => passed() >= 60_000;
    const lights = Array.from({ length: light }, () => work(shares.open(1), 5, until));
    const heavies = Array.from({ length: heavy }, () => work(shares.open(8), 1, until));
    const used = (await Promise.all(lights)).reduce((sum, ms) => sum + ms, 0);
    await Promise.all(heavies);
    expect(used / passed()).toBeCloseTo(part, 2);
  });

  it('has the thread again a second after the last heavier one', async () => {
    const { shares, passed, idle, work } = thread();
    const [heavy, light] = [shares.open(8), shares.open(1)];
    heavy.charge(1);
    light.charge(1_000);
    expect([light.isPressed, light.isOver()]).toEqual([true, true]);
    idle(1_001);
    expect(light.isPressed).toBe(false);
    const fromMs = passed();
    expect(await work(light, 5, () => passed() >= fromMs + 100)).toBe(100);
  });

  it('pauses 2 s at most, whatever a turn took', async () => {
    const { shares, passed, work } = thread();
    const [heavy, light] = [shares.open(8), shares.open(1)];
    heavy.charge(0);
    light.charge(5_000);
    let begunAtMs: number | undefined;
    await Promise.all([
      light.begin().then(() => (begunAtMs = passed())),
      work(heavy, 1, () => begunAtMs !== undefined || passed() > 60_000),
    ]);
    expect(Math.abs(begunAtMs! - 2_000)).toBeLessThanOrEqual(turnMsMax + 1);
  });

  it('lets a heavier one begin after one turn', async () => {
    const { shares, passed, work } = thread();
    const [heavy, light] = [shares.open(8), shares.open(1)];
    let begunAtMs: number | undefined;
    const busy = work(light, 5, () => begunAtMs !== undefined || passed() > 60_000);
    await light.begin();
    await heavy.begin();
    begunAtMs = passed();
    await busy;
    expect(begunAtMs).toBeLessThanOrEqual(15);
  });
});

it('work that waits for the database counts no more than it can take itself', async () => {
  const { shares, idle } = thread();
  const share = shares.open(1);
  const wait = async (): Promise<string> => {
    idle(500);
    return 'read';
  };
  expect(await share.chargeFor(3, wait)).toBe('read');
  expect(share.deficitMs).toBe(-3);
  await share.chargeFor(1_000, wait);
  expect(share.deficitMs).toBe(-503);
});

it('a workspace that arrives while all others pause begins at once', async () => {
  const { shares, passed, work } = thread();
  const [heavy, light] = [shares.open(8), shares.open(1)];
  heavy.charge(1);
  light.charge(100);
  let done = false;
  const paused = work(light, 1, () => done);
  await work(heavy, 1, () => passed() >= 50);
  expect(passed()).toBe(50);
  done = true;
  await paused;
});
