import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import type { Workspace } from '../workspaces/workspace.ts';
import type { HostDeps } from './host-deps.ts';
import { beat, heartbeatMs, releasePartition, takePartition } from './ownership.ts';
import { PartitionHost } from './partition-host.ts';

/** How often partitions that nobody here owns are tried: with the silence allowed an owner, a move takes < 10 s. */
const tryMs = 1_000;

interface Running {
  readonly host: PartitionHost;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Takes every partition that no living process holds, and runs its host. All locks hang on one connection: when that
 * breaks, the locks are gone, so every host is stopped before a new connection is made.
 */
export class PartitionKeeper {
  readonly #database: ClientConfig;
  readonly #process: string;
  readonly #workspaces: () => readonly Workspace[];
  readonly #deps: HostDeps;
  readonly #running = new Map<string, Running>();

  constructor(
    options: {
      readonly database: ClientConfig;
      readonly process: string;
      readonly workspaces: () => readonly Workspace[];
    },
    deps: HostDeps,
  ) {
    this.#database = options.database;
    this.#process = options.process;
    this.#workspaces = options.workspaces;
    this.#deps = deps;
  }

  /** The partition's log grew. */
  wake(workspaceId: string): void {
    this.#running.get(workspaceId)?.host.wake();
  }

  /** Runs until `stop`; then every host has written its last checkpoint and every lock is free. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const connection = new Client({ ...this.#database, application_name: 'ringfence owner' });
      const lost = new AbortController();
      connection.on('error', () => lost.abort());
      connection.on('end', () => lost.abort());
      try {
        await connection.connect();
        await this.#keep(connection, AbortSignal.any([stop, lost.signal]));
      } catch (error) {
        if (!stop.aborted) this.#deps.logger.error({ err: error }, 'the connection that holds partitions was lost');
      } finally {
        await this.#stopAll(lost.signal.aborted ? undefined : connection);
        await connection.end().catch(() => undefined);
      }
      if (!stop.aborted) await pause(tryMs, stop);
    }
  }

  async #keep(connection: Client, until: AbortSignal): Promise<void> {
    let beatenAtMs = 0;
    while (!until.aborted) {
      for (const workspace of this.#workspaces()) {
        if (until.aborted) return;
        if (!this.#running.has(workspace.id)) await this.#tryTake(connection, workspace);
      }
      const nowMs = performance.now();
      if (nowMs - beatenAtMs >= heartbeatMs && this.#running.size > 0) {
        beatenAtMs = nowMs;
        await beat(connection, [...this.#running.keys()]);
      }
      await pause(tryMs, until);
    }
  }

  async #tryTake(connection: Client, workspace: Workspace): Promise<void> {
    const ownership = await takePartition(connection, workspace, this.#process);
    if (ownership === undefined) {
      this.#deps.report.ready(workspace.id, 'elsewhere');
      return;
    }
    this.#deps.logger.info({ workspace: workspace.id, epoch: ownership.epoch }, 'this process decides the workspace');
    const host = new PartitionHost(workspace, ownership, this.#deps);
    const stop = new AbortController();
    const ended = host.run(stop.signal).then(async (reason) => {
      if (reason === 'stopped') return;
      this.#running.delete(workspace.id);
      this.#deps.logger.warn({ workspace: workspace.id }, 'another process took the workspace over');
      await releasePartition(connection, workspace.id).catch(() => undefined);
    });
    this.#running.set(workspace.id, { host, stop, ended });
  }

  async #stopAll(connection: Client | undefined): Promise<void> {
    const running = [...this.#running];
    for (const [, { stop }] of running) stop.abort();
    for (const [workspaceId, { ended }] of running) {
      await ended;
      if (connection !== undefined) await releasePartition(connection, workspaceId).catch(() => undefined);
    }
    this.#running.clear();
  }
}

async function pause(ms: number, until: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: until }).catch(() => undefined);
}
