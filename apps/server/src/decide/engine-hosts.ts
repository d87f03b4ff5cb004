import type { StoredBlock } from '@ringfence/log';
import type { LiveQuestion } from '../records/live-status.ts';
import type { EngineHost, HostMetrics } from './engine-host.ts';

type Host = Pick<
  EngineHost,
  'appended' | 'decides' | 'askStatus' | 'isPaused' | 'isFailing' | 'isReady' | 'checkMoving' | 'stop' | 'cut'
>;

/**
 * The deciding threads of a process. Each takes its share of the workspaces, like the thread of another process would:
 * a workspace is decided by one of them at a time.
 */
export class EngineHosts {
  readonly #hosts: readonly Host[];

  constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
  }

  /** See `EngineHost.appended`. */
  appended(workspaceId: string, end: number, copy?: () => StoredBlock): void {
    const owner = this.#ownerOf(workspaceId);
    if (owner !== undefined) owner.appended(workspaceId, end, copy);
    else for (const host of this.#hosts) host.appended(workspaceId, end);
  }

  /** Whether the workspace is decided by this process. */
  decides(workspaceId: string): boolean {
    return this.#ownerOf(workspaceId) !== undefined;
  }

  /** See `EngineHost.askStatus`. */
  askStatus(workspaceId: string, questions: readonly LiveQuestion[]): void {
    this.#ownerOf(workspaceId)?.askStatus(workspaceId, questions);
  }

  /** Whether one of these workspaces waits for a policy that passes the checks. */
  isPaused(workspaceIds: readonly string[]): boolean {
    return this.#hosts.some((host) => host.isPaused(workspaceIds));
  }

  /** Whether the engine of one of these workspaces fails repeatedly for another reason than the database. */
  isFailing(workspaceIds: readonly string[]): boolean {
    return this.#hosts.some((host) => host.isFailing(workspaceIds));
  }

  /** See `EngineHost.isReady`. */
  isReady(workspaceIds: readonly string[]): boolean {
    return this.#hosts.every((host) => host.isReady(workspaceIds));
  }

  /** @throws Error with the reason why one of the threads does not decide */
  checkMoving(): void {
    for (const host of this.#hosts) host.checkMoving();
  }

  /** Writes the last checkpoints, releases the partitions, ends the threads. */
  async stop(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.stop()));
  }

  /** See `EngineHost.cut`. */
  cut(): void {
    for (const host of this.#hosts) host.cut();
  }

  #ownerOf(workspaceId: string): Host | undefined {
    return this.#hosts.find((host) => host.decides(workspaceId));
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
