import { describe, expect, it, vi } from 'vitest';
import { EngineCondition, EngineConditions } from '../../src/decide/engine-condition.ts';
import type { EngineHost, HostMetrics } from '../../src/decide/engine-host.ts';
import { EngineHosts, sharedMetrics } from '../../src/decide/engine-hosts.ts';

describe('the condition of several deciding threads', () => {
  it('is ready when all are, and in trouble when one is', () => {
    const [one, two] = [new EngineCondition(), new EngineCondition()];
    const all = new EngineConditions([one, two]);
    const told = (): readonly boolean[] => [all.isReady(['a']), all.isPaused(['a']), all.isFailing(['a'])];
    one.hear({ kind: 'ready', workspaceId: 'a', where: 'here' });
    expect(told()).toEqual([false, false, false]);
    two.hear({ kind: 'ready', workspaceId: 'a', where: 'elsewhere' });
    expect(told()).toEqual([true, false, false]);
    two.hear({ kind: 'ready', workspaceId: 'a', where: 'paused' });
    one.hear({ kind: 'ready', workspaceId: 'a', where: 'failing' });
    expect(told()).toEqual([true, true, true]);
  });

  it('says which workspaces are decided: where records were decided last', () => {
    const one = new EngineCondition();
    const all = new EngineConditions([new EngineCondition(), one]);
    expect(all.decides('a')).toBe(false);
    one.decided('a');
    expect([all.decides('a'), all.decides('b')]).toEqual([true, false]);
    one.hear({ kind: 'ready', workspaceId: 'a', where: 'elsewhere' });
    expect(all.decides('a')).toBe(false);
  });

  it('is standing once one has been without its database for 10 s, until it has it again', () => {
    const [one, two] = [new EngineCondition(), new EngineCondition()];
    const all = new EngineConditions([one, two]);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    two.hear({ kind: 'missed', need: 'hosts', why: 'no connection' });
    clock.mockReturnValue(10_999);
    expect(() => all.checkMoving()).not.toThrow();
    clock.mockReturnValue(11_000);
    expect(() => all.checkMoving()).toThrow('the database is unreachable');
    two.hear({ kind: 'found', need: 'hosts' });
    expect(() => all.checkMoving()).not.toThrow();
    clock.mockRestore();
  });
});

it('several deciding threads stop and are cut together', async () => {
  const threads = [1, 2].map(() => ({
    condition: new EngineCondition(),
    stop: vi.fn<EngineHost['stop']>(() => Promise.resolve()),
    cut: vi.fn<EngineHost['cut']>(),
  }));
  const hosts = new EngineHosts(threads);
  await hosts.stop();
  hosts.cut();
  for (const { stop, cut } of threads) expect([stop.mock.calls.length, cut.mock.calls.length]).toEqual([1, 1]);
});

describe('the metrics of several threads', () => {
  it('show the slowest thread, and forget a workspace when no thread decides it', () => {
    const metrics = {
      decided: vi.fn<HostMetrics['decided']>(),
      left: vi.fn<HostMetrics['left']>(),
      removed: vi.fn<HostMetrics['removed']>(),
      engineDelay: vi.fn<HostMetrics['engineDelay']>(),
    };
    const next = sharedMetrics(metrics, (id) => id === 'a');
    const [one, two] = [next(), next()];
    one.engineDelay({ p99Ms: 12, maxMs: 30 });
    two.engineDelay({ p99Ms: 20, maxMs: 25 });
    one.engineDelay({ p99Ms: 1, maxMs: 2 });
    expect(metrics.engineDelay.mock.calls.flat()).toEqual([
      { p99Ms: 12, maxMs: 30 },
      { p99Ms: 20, maxMs: 30 },
      { p99Ms: 20, maxMs: 25 },
    ]);
    two.left('a');
    two.left('b');
    expect(metrics.left.mock.calls).toEqual([['b']]);
  });
});
