import type { EngineHost, HostMetrics } from './engine-host.ts';
import { EngineConditions } from './engine-condition.ts';

/**
 * The deciding threads of a process. Each takes its share of the workspaces, like the thread of another process would:
 * a workspace is decided by one of them at a time.
 */
export class EngineHosts {
  readonly condition: EngineConditions;
  readonly #hosts: readonly Pick<EngineHost, 'stop' | 'cut'>[];

  constructor(hosts: readonly Pick<EngineHost, 'condition' | 'stop' | 'cut'>[]) {
    this.#hosts = hosts;
    this.condition = new EngineConditions(hosts.map(({ condition }) => condition));
  }

  /** Writes the last checkpoints, releases the partitions, ends the threads. */
  async stop(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.stop()));
  }

  /** See `EngineHost.cut`. */
  cut(): void {
    for (const host of this.#hosts) host.cut();
  }
}

/**
 * Metrics for each of several threads. A workspace has left the process when no thread decides it, and the delay is that
 * of the slowest.
 *
 * @param decides whether any thread decides the workspace
 */
export function sharedMetrics(metrics: HostMetrics, decides: (workspaceId: string) => boolean): () => HostMetrics {
  const delays = new Map<HostMetrics, Parameters<HostMetrics['engineDelay']>[0]>();
  return () => {
    const own: HostMetrics = {
      decided: (workspaceId, done) => metrics.decided(workspaceId, done),
      removed: (what, count) => metrics.removed(what, count),
      left: (workspaceId) => {
        if (!decides(workspaceId)) metrics.left(workspaceId);
      },
      engineDelay: (delay) => {
        delays.set(own, delay);
        const all = [...delays.values()];
        const p99Ms = Math.max(...all.map((one) => one.p99Ms));
        metrics.engineDelay({ p99Ms, maxMs: Math.max(...all.map(({ maxMs }) => maxMs)) });
      },
    };
    return own;
  };
}
