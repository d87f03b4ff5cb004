import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { unreachable } from '@ringfence/contract';
import type { StoredBlock } from '@ringfence/log';
import type { DecidedNotice } from '../records/decided-notice.ts';
import type { LiveAnswer, LiveQuestion } from '../records/live-status.ts';
import type { FromWorker, ThreadSettings, ToWorker } from './messages.ts';
import { DatabaseOutage } from './database-outage.ts';
import type { HostLogger, Where } from './host-deps.ts';
import { v8Flags, youngGenerationMb } from '@ringfence/engine/thread-tuning';
import type { AgedOut, DecidedRecords } from '../platform/observability/metrics.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';

/** The engine host's metrics; implemented by `Metrics`. */
export interface HostMetrics {
  decided(workspaceId: string, done: DecidedRecords): void;
  /** This process does not decide the workspace: it holds none of its entities in memory. */
  left(workspaceId: string): void;
  removed(what: AgedOut, count: number): void;
  engineDelay(delay: { readonly p99Ms: number; readonly maxMs: number }): void;
}

export interface EngineHostOptions extends ThreadSettings {
  /** Loaded, not begun. */
  readonly thread: Worker;
  readonly logger: HostLogger;
  readonly metrics: HostMetrics;
  /** Decisions were committed. */
  readonly onDecided: (notice: DecidedNotice) => void;
  /** Committed actions can be sent now. */
  readonly onActionsDue: () => void;
  /** The thread answered some questions of `askStatus`. */
  readonly onStatus: (answers: readonly LiveAnswer[]) => void;
  /** The thread ended unasked, or must not continue: the process must end, too. */
  readonly onCrash: (error: Error) => void;
}

/** Starts loading the deciding thread, which takes as long as opening the database: both run in parallel. */
export function loadEngineThread(): Worker {
  for (const flag of v8Flags) setFlagsFromString(flag);
  return new Worker(new URL('../engine-thread.ts', import.meta.url), {
    name: 'engine-host',
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
}

export function loadEngineThreads(count: number): readonly Worker[] {
  return Array.from({ length: count }, loadEngineThread);
}

/** The main thread's handle of a deciding thread. */
export class EngineHost {
  readonly #options: EngineHostOptions;
  readonly #worker: Worker;
  /** Where each workspace is decided; a missing one has not caught up yet. */
  readonly #where = new Map<string, Where>();
  readonly #standstill = new DatabaseOutage();
  #stopped: Promise<void> | undefined;
  #ended = false;
  #isCut = false;
  #wasReady = false;

  constructor(options: EngineHostOptions) {
    this.#options = options;
    this.#worker = options.thread;
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (error: Error) => options.onCrash(error));
    this.#worker.on('exit', (code) => {
      this.#ended = true;
      if (this.#stopped === undefined && !this.#isCut)
        options.onCrash(new Error(`the engine host ended with code ${code}`));
    });
    const { database, master, process, residentBytesMax, retains } = options;
    this.#tell({ kind: 'begin', settings: { database, master, process, residentBytesMax, retains } });
  }

  /**
   * Reports an append of this process: faster than the database's notification.
   *
   * @param copy of the records, if this thread decides the workspace, so that it need not read them
   */
  appended(workspaceId: string, end: number, copy?: () => StoredBlock): void {
    const block = copy?.();
    if (block === undefined) this.#tell({ kind: 'appended', workspaceId, end });
    else
      this.#worker.postMessage({ kind: 'appended', workspaceId, end, block } satisfies ToWorker, [block.frames.buffer]);
  }

  /** Whether the workspace is decided by this process. */
  decides(workspaceId: string): boolean {
    return this.#where.get(workspaceId) === 'here';
  }

  /** Asks the thread, which answers by `onStatus`, or not at all if it does not decide the workspace any more. */
  askStatus(workspaceId: string, questions: readonly LiveQuestion[]): void {
    this.#tell({ kind: 'statusAsked', workspaceId, questions });
  }

  /** Whether one of these workspaces waits for a policy that passes the checks. */
  isPaused(workspaceIds: readonly string[]): boolean {
    return workspaceIds.some((id) => this.#where.get(id) === 'paused');
  }

  /** Whether the engine of one of these workspaces fails repeatedly for another reason than the database. */
  isFailing(workspaceIds: readonly string[]): boolean {
    return workspaceIds.some((id) => this.#where.get(id) === 'failing');
  }

  /**
   * Whether each workspace has caught up once, here or elsewhere, or cannot, because its policy does not pass the
   * checks or its engine fails. A workspace created later starts a moment after, which is no reason to route the events
   * of the others to another process.
   */
  isReady(workspaceIds: readonly string[]): boolean {
    this.#wasReady ||= workspaceIds.every((id) => this.#where.has(id));
    return this.#wasReady;
  }

  /** @throws Error with the reason why this process does not decide */
  checkMoving(): void {
    this.#standstill.check(performance.now());
  }

  /** Writes the last checkpoints, releases the partitions, ends the thread. */
  stop(): Promise<void> {
    this.#stopped ??= this.#ended
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#worker.once('exit', () => resolve());
          this.#tell({ kind: 'stop' });
        });
    return this.#stopped;
  }

  /**
   * Ends the thread immediately; uncommitted work is stepped again from the last checkpoint. A stop that times out may
   * call this before `stop`, because other parts are stopped first.
   */
  cut(): void {
    this.#isCut = true;
    void this.#worker.terminate();
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromWorker): void {
    const { logger, metrics, onDecided, onActionsDue } = this.#options;
    switch (message.kind) {
      case 'batch':
        onDecided(message);
        this.#where.set(message.workspaceId, 'here');
        metrics.decided(message.workspaceId, message);
        return;
      case 'actionsDue':
        onActionsDue();
        return;
      case 'statusAnswered':
        this.#options.onStatus(message.answers);
        return;
      case 'ready':
        this.#where.set(message.workspaceId, message.where);
        if (message.where !== 'here') metrics.left(message.workspaceId);
        return;
      case 'missed':
        this.#standstill.missed(message.need, { sinceMs: performance.now(), why: message.why });
        return;
      case 'found':
        this.#standstill.found(message.need);
        return;
      case 'outdated':
        this.#options.onCrash(new OperatorError(message.message, message.mend));
        return;
      case 'removed':
        metrics.removed(message.what, message.count);
        return;
      case 'delay':
        metrics.engineDelay(message);
        return;
      case 'log':
        logger[message.level](message.fields, message.message);
        return;
      default:
        unreachable(message);
    }
  }
}
