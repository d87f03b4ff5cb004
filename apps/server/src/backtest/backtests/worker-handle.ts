import { Worker } from 'node:worker_threads';
import { assert } from '@ringfence/contract';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { FromLane, LaneSettings, ToLane } from './worker-messages.ts';
import type { LaneReport, LaneStart } from './worker-report.ts';

/** Room for what lives as long as a batch, MB: with V8's 48 one seventh more time is the collector's. Taken as it is used. */
const youngMb = 192;

/** A lane in a thread of its own, as the thread that feeds it sees it. */
export class LaneWorker {
  readonly #worker: Worker;
  readonly #memoryMb: number;
  readonly #waiting: PromiseWithResolvers<LaneReport>[] = [];
  readonly #ended = Promise.withResolvers<ReadonlyMap<number, number>>();

  /** @param memoryMb what the engine's state may take */
  constructor(settings: LaneSettings, memoryMb: number) {
    this.#memoryMb = memoryMb;
    this.#worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      workerData: settings,
      name: 'backtest-lane',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    });
    this.#ended.promise.catch(() => undefined); // whoever waits is told; nobody has to
    this.#worker.on('message', (message: FromLane) => this.#hear(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#inWords(error)));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of a backtest ended too early')));
  }

  begin(start: LaneStart): void {
    this.#tell({ kind: 'begin', start });
  }

  /** Steps a batch; several may be under way, and are answered in their order. The bytes are copied. */
  take(bytes: Uint8Array): Promise<LaneReport> {
    const answer = Promise.withResolvers<LaneReport>();
    this.#waiting.push(answer);
    this.#tell({ kind: 'batch', bytes });
    return answer.promise;
  }

  /** Ends the thread. @returns how often each rule met a missing fact */
  async end(): Promise<ReadonlyMap<number, number>> {
    this.#tell({ kind: 'end' });
    return this.#ended.promise;
  }

  /** Ends the thread wherever it is. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #tell(message: ToLane): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromLane): void {
    if (message.kind === 'ended') {
      this.#ended.resolve(message.missing);
      return;
    }
    const answer = this.#waiting.shift();
    assert(answer !== undefined, 'a lane answers each batch once');
    answer.resolve(message.report);
  }

  #fail(error: Error): void {
    this.#ended.reject(error);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #inWords(error: NodeJS.ErrnoException): Error {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
    return new OperatorError(
      `What the policy keeps about this history takes more than the ${this.#memoryMb} MB that a backtest may use.`,
      'Try a shorter time, or features with shorter windows, or a machine with more memory.',
      { cause: error },
    );
  }
}
