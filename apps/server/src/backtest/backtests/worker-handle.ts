import { assert } from '@ringfence/contract';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { isOutOfMemory, Thread } from '../../platform/thread.ts';
import type { FromWorker, WorkerSettings, ToWorker } from './worker-messages.ts';
import type { WorkerReport, WorkerStart } from './worker-report.ts';

/**
 * V8's young generation in MB, sized for objects that live as long as a batch: with V8's default of 48, garbage
 * collection takes another seventh of the time. Allocated as needed.
 */
const youngMb = 192;

/** A backtest worker in its own thread, as seen by the thread that feeds it. */
export class WorkerHandle {
  readonly #thread: Thread<FromWorker, ToWorker>;
  readonly #memoryMb: number;
  readonly #waiting: PromiseWithResolvers<WorkerReport>[] = [];
  readonly #ended = Promise.withResolvers<ReadonlyMap<number, number>>();

  /** @param memoryMb limit of the engine's state */
  constructor(settings: WorkerSettings, memoryMb: number) {
    this.#memoryMb = memoryMb;
    this.#thread = new Thread({
      entry: new URL('./worker-thread.ts', import.meta.url),
      name: 'backtest-lane',
      settings,
      memoryMb,
      youngMb,
      onMessage: (message) => this.#hear(message),
      onEnd: (error) => this.#fail(error),
    });
    this.#ended.promise.catch(() => undefined); // reported to callers that await it; none has to
  }

  begin(start: WorkerStart): void {
    this.#thread.send({ kind: 'begin', start });
  }

  /** Steps a batch; several may be under way, and are answered in order. The bytes are copied. */
  take(bytes: Uint8Array): Promise<WorkerReport> {
    const answer = Promise.withResolvers<WorkerReport>();
    this.#waiting.push(answer);
    this.#thread.send({ kind: 'batch', bytes });
    return answer.promise;
  }

  /** Ends the thread. @returns how often each rule met a missing fact */
  async end(): Promise<ReadonlyMap<number, number>> {
    this.#thread.send({ kind: 'end' });
    return this.#ended.promise;
  }

  /** Ends the thread immediately. */
  async stop(): Promise<void> {
    await this.#thread.stop();
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

  #fail(cause: Error | undefined): void {
    const error = this.#inWords(cause ?? new Error('the thread of a backtest ended unexpectedly'));
    this.#ended.reject(error);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #inWords(error: Error): Error {
    if (!isOutOfMemory(error)) return error;
    return new OperatorError(
      `The policy's state for this history needs more than the ${this.#memoryMb} MB that a backtest may use.`,
      'Try a shorter period, features with shorter windows, or a machine with more memory.',
      { cause: error },
    );
  }
}
