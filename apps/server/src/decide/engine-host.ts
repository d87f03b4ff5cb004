import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { unreachable } from '@ringfence/contract';
import type { DecidedNotice } from '../records/decided-notice.ts';
import type { FromWorker, ThreadSettings, ToWorker } from './messages.ts';
import { Standstill } from './database-outage.ts';
import type { HostLogger, Where } from './host-deps.ts';
import type { AgedOut, DecidedRecords } from '../platform/observability/metrics.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';

/** What the engine host counts; implemented by the metrics. */
export interface HostMetrics {
  decided(workspaceId: string, done: DecidedRecords): void;
  /** Somebody else decides this workspace, or nobody: nothing of it is in memory here. */
  left(workspaceId: string): void;
  removed(what: AgedOut, count: number): void;
  engineDelay(delay: { readonly p99Ms: number; readonly maxMs: number }): void;
}

export interface EngineHostOptions extends ThreadSettings {
  /** Loaded, and not begun. */
  readonly thread: Worker;
  readonly logger: HostLogger;
  readonly metrics: HostMetrics;
  /** Decisions were committed. */
  readonly onDecided: (notice: DecidedNotice) => void;
  /** Actions were committed that can be sent now. */
  readonly onActionsDue: () => void;
  /** The thread ended though nobody stopped it, or must not go on: nor can the process. */
  readonly onCrash: (error: Error) => void;
}

/** Room for what lives as long as a batch, MB: with V8's 16 it is carried over again and again. Taken as it is used. */
const youngMb = 96;
/**
 * How far the heap may grow beyond what lives in it before it is collected. V8 would let it grow to four times that, where
 * most of what lives lies in the arena and the heap is little; nothing is quicker by it. For all threads of the process.
 */
const heapGrowth = '--heap-growing-percent=50';
/**
 * Everything begins its life among what is young. V8 would put what lives on for a while among the old from the start, and
 * what that holds with it: a batch that is done with stays until the old are collected.
 */
const allYoung = '--no-allocation-site-pretenuring';

/** Begins to load the deciding thread, which takes as long as opening a database: both at the same time. */
export function loadEngineThread(): Worker {
  setFlagsFromString(heapGrowth);
  setFlagsFromString(allYoung);
  return new Worker(new URL('../engine-thread.ts', import.meta.url), {
    name: 'engine-host',
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
  });
}

/** The deciding thread as the main thread sees it. */
export class EngineHost {
  readonly #options: EngineHostOptions;
  readonly #worker: Worker;
  /** Where each workspace is decided; one that is missing was not decided up to date yet. */
  readonly #where = new Map<string, Where>();
  readonly #standstill = new Standstill();
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
    const { database, master, process, residentBytesMax } = options;
    this.#tell({ kind: 'begin', settings: { database, master, process, residentBytesMax } });
  }

  /** This process appended: quicker than the database's own notice. */
  appended(workspaceId: string, end: number): void {
    this.#tell({ kind: 'appended', workspaceId, end });
  }

  /** Whether one of these workspaces waits for a policy that checks. */
  isPaused(workspaceIds: readonly string[]): boolean {
    return workspaceIds.some((id) => this.#where.get(id) === 'paused');
  }

  /** Whether the engine of one of these workspaces fails again and again, by something else than the database. */
  isFailing(workspaceIds: readonly string[]): boolean {
    return workspaceIds.some((id) => this.#where.get(id) === 'failing');
  }

  /**
   * Whether each of the workspaces was decided up to date once, here or elsewhere, or cannot be: its policy does not check, or
   * its engine fails. One that is made later begins a moment after, which is no reason to send the others' events to another
   * process.
   */
  isReady(workspaceIds: readonly string[]): boolean {
    this.#wasReady ||= workspaceIds.every((id) => this.#where.has(id));
    return this.#wasReady;
  }

  /** @throws Error that says why nothing is decided here any more */
  checkMoving(): void {
    this.#standstill.check(performance.now());
  }

  /** Writes the last checkpoints, frees the partitions, ends the thread. */
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
   * Ends the thread at once: what it has not committed is stepped again from the last checkpoint. A stop that is late may come
   * to it before `stop`: other parts end first.
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
