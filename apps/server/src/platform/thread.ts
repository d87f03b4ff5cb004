import { constants, setPriority } from 'node:os';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { assert } from '@ringfence/contract';

/** Both are below that of the thread that serves requests; `waitedFor` is for a person who waits for the answer. */
const priorities = {
  background: constants.priority.PRIORITY_LOW,
  waitedFor: constants.priority.PRIORITY_BELOW_NORMAL,
} as const;

/**
 * For the first lines of a thread that `Thread` started. Its priority is its own where the system supports it.
 *
 * @returns the settings that it was started with, and the port to the thread that started it
 */
export function enterThread(priority: keyof typeof priorities): {
  readonly settings: unknown;
  readonly port: MessagePort;
} {
  assert(parentPort !== null, 'this module runs in a worker thread');
  setPriority(priorities[priority]);
  return { settings: workerData as unknown, port: parentPort };
}

export interface ThreadOptions<From> {
  readonly entry: URL;
  readonly name: string;
  /** Copied to the thread, which gets it from `enterThread`. */
  readonly settings: object;
  readonly memoryMb?: number;
  /** V8's young generation; allocated as needed. */
  readonly youngMb?: number;
  readonly onMessage?: (message: From) => void;
  /**
   * Called once, after its last message: with the error that ended it, or without one if it finished or was stopped.
   */
  readonly onEnd: (error: Error | undefined) => void;
}

/** A worker thread, as the thread that started it sees it. It sends `From` and is sent `To`. */
export class Thread<From, To = never> {
  readonly #worker: Worker;
  #isStopped = false;

  constructor(options: ThreadOptions<From>) {
    const { entry, name, settings, memoryMb, youngMb, onMessage, onEnd } = options;
    this.#worker = new Worker(entry, {
      workerData: settings,
      name,
      resourceLimits: {
        ...(memoryMb === undefined ? {} : { maxOldGenerationSizeMb: memoryMb }),
        ...(youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }),
      },
    });
    let failure: Error | undefined;
    this.#worker.on('message', (message: From) => {
      if (!this.#isStopped) onMessage?.(message);
    });
    this.#worker.on('error', (error: Error) => (failure = error));
    this.#worker.on('exit', () => onEnd(this.#isStopped ? undefined : failure));
  }

  /** Copies the message to the thread. */
  send(message: To): void {
    this.#worker.postMessage(message);
  }

  /** Processor time that the thread has used so far, in milliseconds; all that there is once it has ended. */
  async processorMs(): Promise<number> {
    const used = await this.#worker.cpuUsage().catch(() => undefined);
    return used === undefined ? Infinity : (used.user + used.system) / 1_000;
  }

  /** Ends the thread immediately. No message of it arrives any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker.terminate();
  }
}

/** Whether a thread ended because it needed more than its `memoryMb`. */
export function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
