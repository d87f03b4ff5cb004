import type { SecureContextOptions } from 'node:tls';
import { type MessagePort, Worker } from 'node:worker_threads';
import { secondMs, unreachable } from '@ringfence/contract';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { LineLogger } from '../platform/observability/thread-logger.ts';
import type {
  CellOfThread,
  FromIngestThread,
  IngestAnswers,
  IngestQuestion,
  IngestSettings,
  ListenAt,
  ToIngestThread,
} from './thread-messages.ts';

/** A thread that does not answer for longer is stuck. */
const answerMsMax = 2 * secondMs;

/** Starts loading threads that take events, which takes as long as opening the database: both run in parallel. */
export function loadIngestThreads(count: number): readonly Worker[] {
  return Array.from(
    { length: count },
    () => new Worker(new URL('../ingest-thread.ts', import.meta.url), { name: 'ingest' }),
  );
}

export interface IngestThreadsOptions {
  /** Loaded, not begun. */
  readonly threads: readonly Worker[];
  readonly logger: LineLogger;
  /** A thread ended unasked: the process must end, too. */
  readonly onCrash: (error: Error) => void;
}

/** The threads of a process that take events. They share one port. */
export class IngestThreads {
  readonly #threads: readonly IngestThread[];
  #hasBegun = false;

  constructor({ threads, logger, onCrash }: IngestThreadsOptions) {
    this.#threads = threads.map((worker) => new IngestThread(worker, { logger, onCrash }));
  }

  /** @param engines the ports of each thread to the deciding threads */
  begin(settings: IngestSettings, engines: readonly (readonly MessagePort[])[]): void {
    this.#hasBegun = true;
    for (const [place, thread] of this.#threads.entries()) thread.begin(settings, engines[place] ?? []);
  }

  /** Takes the events of a further database. @param engines as in `begin` */
  openCell(cell: CellOfThread, engines: readonly (readonly MessagePort[])[]): void {
    for (const [place, thread] of this.#threads.entries()) thread.openCell(cell, engines[place] ?? []);
  }

  /**
   * All threads take events on this port, or on a free one if it is 0.
   *
   * @returns the port
   * @throws OperatorError if a thread cannot begin; Error with a `code` if the address cannot be bound
   */
  async listen({ host, port }: Omit<ListenAt, 'reusePort'>): Promise<number> {
    const reusePort = this.#threads.length > 1;
    let bound = port;
    // One after the other: the first chooses a free port for all.
    for (const thread of this.#threads) bound = await thread.listen({ host, port: bound, reusePort });
    return bound;
  }

  /** New connections use this certificate. */
  setSecureContext(context: SecureContextOptions): void {
    for (const thread of this.#threads) thread.tell({ kind: 'certificate', context });
  }

  /** Resolves when all threads have seen every change of workspaces and keys that was committed before this call. */
  async refresh(): Promise<void> {
    // One that does not answer hears of the changes from the database.
    await this.ask('refreshed').catch(() => undefined);
  }

  /** The answers of all threads; none before they begin. @throws Error if one of them fails, or is silent for 2 s */
  ask<Question extends IngestQuestion>(question: Question): Promise<readonly IngestAnswers[Question][]> {
    if (!this.#hasBegun) return Promise.resolve([]);
    return Promise.all(this.#threads.map((thread) => thread.ask(question)));
  }

  /** From now on `/readyz` answers 503; everything else keeps working. */
  announceStop(): void {
    for (const thread of this.#threads) thread.tell({ kind: 'announceStop' });
  }

  /** Accepts no more requests, finishes what was accepted, ends the threads. */
  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  /** Ends the threads immediately: requests without an answer get none. */
  cut(): void {
    for (const thread of this.#threads) thread.cut();
  }
}

interface Asked {
  readonly answered: (answer: IngestAnswers[IngestQuestion]) => void;
  readonly failed: (why: Error) => void;
}

/** The main thread's handle of one of them. */
class IngestThread {
  readonly #worker: Worker;
  readonly #logger: LineLogger;
  readonly #listening = Promise.withResolvers<number>();
  readonly #asked = new Map<number, Asked>();
  #number = 0;
  #isListening = false;
  #ended: Promise<void>;
  #isAskedToEnd = false;

  constructor(worker: Worker, { logger, onCrash }: Omit<IngestThreadsOptions, 'threads'>) {
    this.#worker = worker;
    this.#logger = logger;
    const crashed = (error: Error): void => {
      // An error before is what `listen` throws.
      if (this.#isListening) onCrash(error);
      this.#listening.reject(error);
    };
    this.#listening.promise.catch(() => undefined);
    worker.on('message', (message: FromIngestThread) => this.#hear(message));
    worker.on('error', crashed);
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (!this.#isAskedToEnd) crashed(new Error(`a thread that takes events ended with code ${code}`));
        for (const { failed } of this.#asked.values()) failed(new Error('the thread has ended'));
        resolve();
      });
    });
  }

  tell(message: ToIngestThread): void {
    this.#worker.postMessage(message);
  }

  begin(settings: IngestSettings, engines: readonly MessagePort[]): void {
    this.#worker.postMessage({ kind: 'begin', settings, engines } satisfies ToIngestThread, [...engines]);
  }

  openCell(cell: CellOfThread, engines: readonly MessagePort[]): void {
    this.#worker.postMessage({ kind: 'openCell', cell, engines } satisfies ToIngestThread, [...engines]);
  }

  listen(at: ListenAt): Promise<number> {
    this.tell({ kind: 'listen', at });
    return this.#listening.promise;
  }

  ask<Question extends IngestQuestion>(question: Question): Promise<IngestAnswers[Question]> {
    const number = ++this.#number;
    return new Promise<IngestAnswers[IngestQuestion]>((answered, failed) => {
      const timer = setTimeout(() => failed(new Error('a thread that takes events does not answer')), answerMsMax);
      const ended = (): void => {
        clearTimeout(timer);
        this.#asked.delete(number);
      };
      this.#asked.set(number, {
        answered: (answer) => {
          ended();
          answered(answer);
        },
        failed: (why) => {
          ended();
          failed(why);
        },
      });
      this.tell({ kind: 'asked', number, question });
    }) as Promise<IngestAnswers[Question]>;
  }

  stop(): Promise<void> {
    this.#isAskedToEnd = true;
    this.tell({ kind: 'stop' });
    return this.#ended;
  }

  cut(): void {
    this.#isAskedToEnd = true;
    void this.#worker.terminate();
  }

  #hear(message: FromIngestThread): void {
    switch (message.kind) {
      case 'listening':
        this.#isListening = true;
        this.#listening.resolve(message.port);
        return;
      case 'notListening':
        this.#listening.reject(Object.assign(new Error(message.code), { code: message.code }));
        return;
      case 'refused':
        this.#listening.reject(new OperatorError(message.message, message.mend));
        return;
      case 'answered':
        this.#asked.get(message.number)?.answered(message.answer);
        return;
      case 'notAnswered':
        this.#asked.get(message.number)?.failed(message.why as Error);
        return;
      case 'log':
        this.#logger[message.level](message.fields, message.message);
        return;
      default:
        unreachable(message);
    }
  }
}
