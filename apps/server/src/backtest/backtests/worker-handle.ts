import { Worker } from 'node:worker_threads';
import { assert } from '@ringfence/contract';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { FromWorker, WorkerSettings, ToWorker } from './worker-messages.ts';
import type { WorkerReport, WorkerStart } from './worker-report.ts';

/**
 * V8's young generation in MB, sized for objects that live as long as a batch: with V8's default of 48, garbage
 * collection takes another seventh of the time. Allocated as needed.
 */
const youngMb = 192;

/** A backtest worker in its own thread, as seen by the thread that feeds it. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #memoryMb: number;
  readonly #waiting: PromiseWithResolvers<WorkerReport>[] = [];
  readonly #ended = Promise.withResolvers<ReadonlyMap<number, number>>();

  /** @param memoryMb limit of the engine's state */
  constructor(settings: WorkerSettings, memoryMb: number) {
    this.#memoryMb = memoryMb;
    this.#worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      workerData: settings,
      name: 'backtest-lane',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    });
    this.#ended.promise.catch(() => undefined); // reported to callers that await it; none has to
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#inWords(error)));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of a backtest ended unexpectedly')));
  }

  begin(start: WorkerStart): void {
    this.#tell({ kind: 'begin', start });
  }

  /** Steps a batch; several may be under way, and are answered in order. The bytes are copied. */
  take(bytes: Uint8Array): Promise<WorkerReport> {
    const answer = Promise.withResolvers<WorkerReport>();
    this.#waiting.push(answer);
    this.#tell({ kind: 'batch', bytes });
    return answer.promise;
  }

  /** Ends the thread. @returns how often each rule met a missing fact */
  async end(): Promise<ReadonlyMap<number, number>> {
    this.#tell({ kind: 'end' });
    return this.#ended.promise;
  }

  /** Ends the thread immediately. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'ended') {
      this.#ended.resolve(message.missing);
      return;
    }
    const answer = this.#waiting.shift();
    assert(answer !== undefined, 'a backtest worker answers each batch once');
    answer.resolve(message.report);
  }

  #fail(error: Error): void {
    this.#ended.reject(error);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #inWords(error: NodeJS.ErrnoException): Error {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
    return new OperatorError(
      `The policy's state for this history needs more than the ${this.#memoryMb} MB that a backtest may use.`,
      'Try a shorter period, features with shorter windows, or a machine with more memory.',
      { cause: error },
    );
  }
}
