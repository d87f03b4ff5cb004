import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Problem } from '@ringfence/contract';
import type { ClientConfig } from 'pg';
import type { Workspace } from '../workspaces/workspace.ts';
import type { Heard, Inquiry } from './inquiry.ts';
import type { InquiryThreadSettings } from './inquiry-thread.ts';

export interface InquiriesOptions {
  /** For the threads' own connections. */
  readonly database: ClientConfig;
  readonly logger: { error(fields: object, message: string): void };
}

/** Of one process: each takes a core of those that the engine leaves. */
const runningMax = 2;
/** Share of the machine's memory that all of them may take together. */
const memoryShare = 0.3;
const askAgainSeconds = 20;

/** Answers questions about the log beside the service, in threads of low priority that end when nobody listens. */
export class Inquiries {
  readonly #options: InquiriesOptions;
  readonly #running = new Set<Worker>();

  constructor(options: InquiriesOptions) {
    this.#options = options;
  }

  /**
   * Begins one. What is heard ends with `searched`, `decided`, `tested` or `failed`.
   *
   * @returns what ends it, whether it was answered or not
   * @throws Problem `rate.limited` while as many run as may
   */
  begin(workspace: Workspace, inquiry: Inquiry, hear: (heard: Heard) => void): () => void {
    if (this.#running.size >= runningMax) {
      throw new Problem('rate.limited', 'Other questions about the log are being answered. Ask again in a while.', {
        retryAfterSeconds: askAgainSeconds,
      });
    }
    const { database, logger } = this.#options;
    const memoryMb = Math.floor((totalmem() * memoryShare) / 2 ** 20 / runningMax);
    const worker = new Worker(new URL('./inquiry-thread.ts', import.meta.url), {
      workerData: { database, workspace, inquiry } satisfies InquiryThreadSettings,
      name: 'inquiry',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    this.#running.add(worker);
    let isOver = false;
    worker.on('message', (heard: Heard) => {
      if (!isOver) hear(heard);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!isTooLarge) logger.error({ workspace: workspace.id, err: error }, 'a question about the log failed');
      if (!isOver) hear(isTooLarge ? tooLarge(memoryMb) : ownMistake);
    });
    worker.on('exit', () => this.#running.delete(worker));
    return () => {
      isOver = true;
      void worker.terminate();
    };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }
}

function tooLarge(memoryMb: number): Heard {
  return {
    kind: 'failed',
    code: 'state.conflict',
    detail: `What has to be known for this takes more than the ${memoryMb} MB that a question may use. Run it as a command on a machine with more memory.`,
  };
}

const ownMistake: Heard = {
  kind: 'failed',
  code: 'service.failed',
  detail: 'It failed by an error of ours: the log of the service has more.',
};
