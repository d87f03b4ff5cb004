import { type NewerFormError, secondMs } from '@ringfence/contract';
import type { StoredBlock } from '@ringfence/log';
import type { ClientConfig } from 'pg';
import {
  type Migration,
  startTheNewerRelease,
  stepAndRelease,
  unknownMigrations,
} from '../platform/database/migrate.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { release } from '../platform/release.ts';
import type { LiveAnswer, LiveQuestion } from '../records/live-status.ts';
import type { HostDeps, HostReport, PartitionDeps } from './host-deps.ts';
import { OwnerConnection } from './owner-connection.ts';
import { joinKeepers, leaveKeepers, lookAround, releasePartition, type Sight, takePartition } from './ownership.ts';
import { PartitionHost } from './partition-host.ts';
import { ProcessorShares } from './processor-shares.ts';
import { planShare } from './partition-shares.ts';
import { sleep } from '../platform/sleep.ts';
import { DatabaseOutage } from './database-outage.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** Interval of heartbeats and of looking at the other processes. With the silence allowed, a failover takes < 10 s. */
const lookMs = 1_000;
/** Time for taking partitions in one round, so that the next heartbeat is on time even on a slow thread or database. */
const takeMsMax = 1_000;
/** More concurrent starts are no faster on one thread: they would wait for each other's connections. */
const beginningsMax = 4;
/** A lost wake-up delays a partition by no more than this, and a lost database is noticed within it ... */
const idleMsMin = 1_000;
/** ... but all idle partitions together poll their logs no more often than this. */
const idleLooksPerSecond = 40;
/** After this long without a connection to decide on, a process releases its workspaces to others that may have one. */
const cutOffMsMax = 15_000;

interface Running {
  readonly host: PartitionHost;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export interface PartitionKeeperOptions {
  readonly database: ClientConfig;
  readonly process: string;
  readonly workspaces: () => readonly Workspace[];
  /** The migrations of this release. */
  readonly migrations: readonly Migration[];
  /** Called for each partition taken: its previous owner may have left work unfinished. */
  readonly onTaken?: (workspace: Workspace) => void;
}

/**
 * Takes this process's share of the partitions and runs their hosts. All locks belong to one connection: when it
 * breaks, the locks are gone, so every host is stopped before a new connection is opened. Two cases release all
 * partitions: a newer release has changed the database so that this one cannot read what it writes, or the database
 * refuses every connection but this one while other processes are visible. See docs/internals/ownership-and-outages.md.
 */
export class PartitionKeeper {
  readonly #options: PartitionKeeperOptions;
  readonly #deps: PartitionDeps;
  /** In the order in which they were taken. */
  readonly #running = new Map<string, Running>();
  /** Partitions being handed over; their hosts run until the last checkpoint is written. */
  readonly #leaving = new Set<string>();
  /**
   * Since when each partition has been seen free, and since when this process has held too many while none was free.
   */
  #freeSinceMs: ReadonlyMap<string, number> = new Map();
  #unevenSinceMs: number | undefined;
  /** The newer release's migration that shuts this process out. */
  #shutOutBy: string | undefined;
  /** What the hosts lack, as they report it. */
  readonly #standstill = new DatabaseOutage();
  #isCutOff = false;

  constructor(options: PartitionKeeperOptions, deps: HostDeps) {
    this.#options = options;
    this.#deps = {
      ...deps,
      report: this.#listeningTo(deps.report),
      beginnings: new Semaphore(beginningsMax),
      shares: new ProcessorShares(),
      isOutdated: (error) => this.#isOutdated(error),
      idleMs: () => Math.max(idleMsMin, (this.#running.size * secondMs) / idleLooksPerSecond),
    };
  }

  /** The partition's log grew to `end`. */
  wake(workspaceId: string, end: number, block?: StoredBlock): void {
    this.#running.get(workspaceId)?.host.wake(end, block);
  }

  /** Answers from the engine that decides the workspace; `undefined` if it is not one of this process. */
  async liveStatus(
    workspaceId: string,
    questions: readonly LiveQuestion[],
  ): Promise<readonly LiveAnswer[] | undefined> {
    return this.#running.get(workspaceId)?.host.liveStatus(questions);
  }

  /** Runs until `stop`; then every host has written its last checkpoint and every lock is free. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      if (this.#isCutOff && !(await this.#isLetIn())) {
        await sleep(lookMs, stop);
        continue;
      }
      const connection = new OwnerConnection(this.#options.database);
      try {
        await connection.open();
        await this.#keep(connection, AbortSignal.any([stop, connection.lost]));
        if (!stop.aborted) connection.lost.throwIfAborted();
      } catch (failed) {
        // The first reason is the cause; a statement that was running only reports that it got no answer.
        connection.giveUp(failed);
        const error: unknown = connection.lost.reason;
        if (!stop.aborted) {
          this.#deps.logger.error({ err: error }, 'the connection that holds the partition locks was lost');
          this.#deps.report.missed('partitions', error);
        }
      } finally {
        await this.#stopAll(connection);
        await connection.end();
      }
      if (this.#shutOutBy !== undefined || this.#isCutOff) {
        for (const { id } of this.#options.workspaces()) this.#deps.report.ready(id, 'elsewhere');
      }
      if (!stop.aborted) await sleep(lookMs, stop);
    }
  }

  async #keep(connection: OwnerConnection, until: AbortSignal): Promise<void> {
    if (await this.#isShutOut(connection)) {
      this.#deps.report.found('partitions');
      return;
    }
    await connection.alone((client) => joinKeepers(client, this.#options.process));
    while (!until.aborted && !(await this.#isShutOut(connection))) {
      const workspaces = new Map(this.#options.workspaces().map((workspace) => [workspace.id, workspace]));
      for (const workspace of workspaces.values()) this.#running.get(workspace.id)?.host.use(workspace);
      const held = this.#held().length;
      const sight = await connection.alone((client) => lookAround(client, [...workspaces.keys()], held));
      this.#deps.report.found('partitions');
      if (this.#running.size === 0) this.#deps.report.found('hosts');
      const cutOffMs = this.#standstill.missedMs('hosts', performance.now());
      if (cutOffMs >= cutOffMsMax && sight.keepers.length > 1) {
        this.#deps.logger.error({ cutOffMs: Math.round(cutOffMs) }, cutOffMessage);
        this.#isCutOff = true;
        return;
      }
      const { take, handOver } = this.#plan(sight, workspaces.size);
      const endAtMs = performance.now() + takeMsMax;
      let taken = 0;
      while (taken < take.length && !until.aborted && performance.now() < endAtMs) {
        await this.#tryTake(connection, workspaces.get(take[taken]!)!);
        taken += 1;
      }
      const leaving = sight.leaving.filter((id) => this.#running.has(id) && !this.#leaving.has(id));
      for (const id of new Set([...handOver, ...leaving])) void this.#handOver(connection, id);
      for (const id of workspaces.keys()) {
        if (!this.#running.has(id) && !sight.free.includes(id)) this.#deps.report.ready(id, 'elsewhere');
      }
      if (taken === take.length) await sleep(lookMs, until);
    }
  }

  /** Whether the database accepts a connection on which a host could decide. */
  async #isLetIn(): Promise<boolean> {
    try {
      await this.#deps.pool.query('select 1');
    } catch (error) {
      this.#deps.report.missed('hosts', error);
      return false;
    }
    this.#isCutOff = false;
    this.#deps.report.found('hosts');
    this.#deps.logger.info({}, letInMessage);
    return true;
  }

  #listeningTo(report: HostReport): HostReport {
    return {
      ...report,
      missed: (need, why) => {
        this.#standstill.missed(need, { sinceMs: performance.now(), why });
        report.missed(need, why);
      },
      found: (need) => {
        this.#standstill.found(need);
        report.found(need);
      },
    };
  }

  async #isShutOut(connection: OwnerConnection): Promise<boolean> {
    const unknown = await connection.alone((client) => unknownMigrations(client, this.#options.migrations));
    const newer = unknown.find(({ shutsOutOlder }) => shutsOutOlder);
    if (newer !== undefined && newer.name !== this.#shutOutBy)
      this.#deps.logger.warn({ migration: newer.name, by: newer.release, release }, shutOutMessage);
    this.#shutOutBy = newer?.name;
    return newer !== undefined;
  }

  /** Without a migration of a newer release an unknown form is damage: the other partitions are still decided. */
  async #isOutdated(error: NewerFormError): Promise<boolean> {
    const newest = (await unknownMigrations(this.#deps.pool, this.#options.migrations)).at(-1);
    if (newest === undefined) return false;
    const wrote = `A newer release was on this database (${stepAndRelease(newest)})`;
    const why = `${wrote} and wrote what this release, ${release}, cannot read: ${error.message}.`;
    this.#deps.report.outdated(new OperatorError(why, startTheNewerRelease));
    return true;
  }

  #plan({ selfId, keepers, free }: Sight, partitions: number): ReturnType<typeof planShare> {
    const nowMs = performance.now();
    this.#freeSinceMs = new Map(free.map((id) => [id, this.#freeSinceMs.get(id) ?? nowMs]));
    const plan = planShare({
      selfId,
      keepers,
      partitions,
      free: free.map((id) => ({ id, freeMs: nowMs - this.#freeSinceMs.get(id)! })),
      held: this.#held(),
      unevenMs: this.#unevenSinceMs === undefined ? 0 : nowMs - this.#unevenSinceMs,
    });
    this.#unevenSinceMs = plan.isUneven ? (this.#unevenSinceMs ?? nowMs) : undefined;
    return plan;
  }

  /** Partitions that this process means to keep. */
  #held(): readonly string[] {
    return [...this.#running.keys()].filter((id) => !this.#leaving.has(id));
  }

  async #tryTake(connection: OwnerConnection, workspace: Workspace): Promise<void> {
    const ownership = await connection.alone((client) => takePartition(client, workspace, this.#options.process));
    if (ownership === undefined) return;
    this.#deps.logger.info({ workspace: workspace.id, epoch: ownership.epoch }, 'this process now owns the workspace');
    this.#options.onTaken?.(workspace);
    const host = new PartitionHost(workspace, ownership, this.#deps);
    const stop = new AbortController();
    const ended = host.run(stop.signal).then(async (reason) => {
      if (reason === 'stopped') return;
      this.#running.delete(workspace.id);
      if (reason === 'fenced')
        this.#deps.logger.warn({ workspace: workspace.id }, 'another process took over the workspace');
      await giveBack(connection, workspace.id);
    });
    this.#running.set(workspace.id, { host, stop, ended });
  }

  /** Decides what was read, writes the last checkpoint, and releases the partition to a process that holds fewer. */
  async #handOver(connection: OwnerConnection, workspaceId: string): Promise<void> {
    const { stop, ended } = this.#running.get(workspaceId)!;
    this.#leaving.add(workspaceId);
    stop.abort();
    await ended;
    this.#leaving.delete(workspaceId);
    if (!this.#running.delete(workspaceId)) return;
    this.#deps.logger.info({ workspace: workspaceId }, 'this process hands over the workspace');
    await giveBack(connection, workspaceId);
  }

  async #stopAll(connection: OwnerConnection): Promise<void> {
    const running = [...this.#running];
    for (const [, { stop }] of running) stop.abort();
    for (const [workspaceId, { ended }] of running) {
      await ended;
      await giveBack(connection, workspaceId);
    }
    this.#running.clear();
    await connection.alone(leaveKeepers).catch(() => undefined);
  }
}

/** If a lock cannot be released, the connection is closed, which frees all its locks: no partition stays blocked. */
async function giveBack(connection: OwnerConnection, workspaceId: string): Promise<void> {
  await connection
    .alone((client) => releasePartition(client, workspaceId))
    .catch((error: unknown) => connection.giveUp(error));
}

const shutOutMessage =
  'a newer release has changed the database: this process no longer decides, it only accepts events and sends actions; replace it with the newer release';
const cutOffMessage =
  'the database gives this process no connection on which it could decide: it releases its workspaces to other processes';
const letInMessage = 'the database accepts connections again: this process takes its share of the workspaces again';
