import { describe, expect, it, vi } from 'vitest';
import type { EngineHost, HostMetrics } from '../../src/decide/engine-host.ts';
import { EngineHosts, sharedMetrics } from '../../src/decide/engine-hosts.ts';

/** A thread that decides these workspaces. */
function threadOf(...workspaceIds: readonly string[]) {
  return {
    appended: vi.fn<EngineHost['appended']>(),
    decides: (id: string) => workspaceIds.includes(id),
    askStatus: vi.fn<EngineHost['askStatus']>(),
    isPaused: vi.fn<EngineHost['isPaused']>(() => false),
    isFailing: vi.fn<EngineHost['isFailing']>(() => false),
    isReady: vi.fn<EngineHost['isReady']>(() => true),
    checkMoving: vi.fn<EngineHost['checkMoving']>(),
    stop: vi.fn<EngineHost['stop']>(() => Promise.resolve()),
    cut: vi.fn<EngineHost['cut']>(),
  };
}

describe('several deciding threads', () => {
  it('get what concerns their workspaces, with a copy of the records', () => {
    const [one, two] = [threadOf('a'), threadOf('b')];
    const hosts = new EngineHosts([one, two]);
    const copy = vi.fn<() => never>();
    hosts.appended('b', 7, copy);
    hosts.askStatus('b', []);
    expect(one.appended).not.toHaveBeenCalled();
    expect(two.appended).toHaveBeenCalledWith('b', 7, copy);
    expect([one.askStatus.mock.calls.length, two.askStatus.mock.calls.length]).toEqual([0, 1]);
    expect([hosts.decides('a'), hosts.decides('c')]).toEqual([true, false]);
  });

  it('all learn that the log of a workspace grew that none of them decides yet', () => {
    const [one, two] = [threadOf('a'), threadOf('b')];
    new EngineHosts([one, two]).appended('c', 7, vi.fn<() => never>());
    for (const { appended } of [one, two]) expect(appended).toHaveBeenCalledWith('c', 7);
  });

  it('are ready when all are, and in trouble when one is', () => {
    const [one, two] = [threadOf('a'), threadOf('b')];
    const hosts = new EngineHosts([one, two]);
    expect([hosts.isReady([]), hosts.isPaused([]), hosts.isFailing([])]).toEqual([true, false, false]);
    two.isReady.mockReturnValue(false);
    two.isPaused.mockReturnValue(true);
    one.isFailing.mockReturnValue(true);
    two.checkMoving.mockThrow(new Error('no database'));
    expect([hosts.isReady([]), hosts.isPaused([]), hosts.isFailing([])]).toEqual([false, true, true]);
    expect(() => hosts.checkMoving()).toThrow('no database');
  });

  it('stop and are cut together', async () => {
    const threads = [threadOf('a'), threadOf('b')];
    const hosts = new EngineHosts(threads);
    await hosts.stop();
    hosts.cut();
    for (const { stop, cut } of threads) expect([stop.mock.calls.length, cut.mock.calls.length]).toEqual([1, 1]);
  });
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
