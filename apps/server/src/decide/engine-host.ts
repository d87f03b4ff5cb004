import { setFlagsFromString } from 'node:v8';
import { type MessagePort, Worker } from 'node:worker_threads';
import { unreachable } from '@ringfence/contract';
import type { FromWorker, ThreadSettings, ToWorker } from './messages.ts';
import { EngineCondition } from './engine-condition.ts';
import { v8Flags, youngGenerationMb } from '@ringfence/engine/thread-tuning';
import type { AgedOut, DecidedRecords } from '../platform/observability/metrics.ts';
import type { LineLogger } from '../platform/observability/thread-logger.ts';
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
  /** A port to each thread that takes events. */
  readonly ingest: readonly MessagePort[];
  readonly logger: LineLogger;
  readonly metrics: HostMetrics;
  /** Committed actions can be sent now. */
  readonly onActionsDue: () => void;
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
  readonly condition = new EngineCondition();
  readonly #options: EngineHostOptions;
  readonly #worker: Worker;
  #stopped: Promise<void> | undefined;
  #ended = false;
  #isCut = false;

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
    const { database, master, process, residentBytesMax, weights, retains, ingest } = options;
    const settings = { database, master, process, residentBytesMax, weights, retains };
    this.#worker.postMessage({ kind: 'begin', settings, ingest } satisfies ToWorker, [...ingest]);
  }

  /** Writes the last checkpoints, releases the partitions, ends the thread. */
  stop(): Promise<void> {
    this.#stopped ??= this.#ended
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#worker.once('exit', () => resolve());
          this.#worker.postMessage({ kind: 'stop' } satisfies ToWorker);
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

  #hear(message: FromWorker): void {
    const { logger, metrics, onActionsDue } = this.#options;
    switch (message.kind) {
      case 'decided':
        this.condition.decided(message.workspaceId);
        metrics.decided(message.workspaceId, message);
        return;
      case 'actionsDue':
        onActionsDue();
        return;
      case 'ready':
        this.condition.hear(message);
        if (message.where !== 'here') metrics.left(message.workspaceId);
        return;
      case 'missed':
      case 'found':
        this.condition.hear(message);
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
