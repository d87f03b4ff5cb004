import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Problem } from '@ringfence/contract';
import type { ClientConfig } from 'pg';
import { isDatabaseAway } from '../../platform/observability/database-unavailable.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Heard, Inquiry } from './query.ts';
import type { InquiryThreadSettings } from './query-thread.ts';

export interface InquiriesOptions {
  /** For the threads' own connections. */
  readonly database: ClientConfig;
  readonly logger: { error(fields: object, message: string): void };
  readonly monotonicMs: () => number;
}

/** A question, and who asks. */
export interface Asked {
  readonly workspace: Workspace;
  readonly inquiry: Inquiry;
  readonly by: string;
}

interface Running {
  readonly by: string;
  readonly workspaceId: string;
  readonly sinceMs: number;
  readonly worker: Worker;
  /** Ends it for somebody else, and tells who asked it. */
  readonly giveUp: () => void;
}

/** Of one process: each takes a core of those that the engine leaves. */
const runningMax = 2;
/** Share of the machine's memory that all of them may take together. */
const memoryShare = 0.3;
/**
 * As long as a question keeps its place from somebody who has none: a walk through weeks of a busy log. A longer one ends
 * then, or two who ask without end would keep everybody else out.
 */
const keepsPlaceMs = 5 * 60_000;
/** A thread that was ended takes a moment. */
const endingSeconds = 2;
/** Until the own question is answered, or another one: nobody knows. */
const askAgainSeconds = 20;

/** Answers questions about the log beside the service, in threads of low priority that end when nobody listens. */
export class Inquiries {
  readonly #options: InquiriesOptions;
  /** Oldest first; one whose thread is still ending is among them. */
  readonly #running = new Set<Running>();

  constructor(options: InquiriesOptions) {
    this.#options = options;
  }

  /**
   * Begins one. What is heard ends with `searched`, `decided`, `tested` or `failed`. While as many run as may, whoever has
   * none takes the place of the newest of somebody who has more than one, else of the oldest once it has had its time.
   *
   * @returns what ends it, whether it was answered or not
   * @throws Problem `rate.limited` while as many run as may, with who asks them and when the next one gives way
   */
  begin({ workspace, inquiry, by }: Asked, hear: (heard: Heard) => void): () => void {
    this.#makeRoom({ by, workspaceId: workspace.id });
    const { database, logger, monotonicMs } = this.#options;
    const memoryMb = Math.floor((totalmem() * memoryShare) / 2 ** 20 / runningMax);
    const worker = new Worker(new URL('./query-thread.ts', import.meta.url), {
      workerData: { database, workspace, inquiry } satisfies InquiryThreadSettings,
      name: 'inquiry',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    let isOver = false;
    const end = (): void => {
      isOver = true;
      void worker.terminate();
    };
    const running: Running = {
      by,
      workspaceId: workspace.id,
      sinceMs: monotonicMs(),
      worker,
      giveUp: () => {
        end();
        hear(gaveUp);
      },
    };
    this.#running.add(running);
    worker.on('message', (heard: Heard) => {
      if (!isOver) hear(heard);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!isTooLarge) logger.error({ workspace: workspace.id, err: error }, 'a question about the log failed');
      if (!isOver) hear(isTooLarge ? tooLarge(memoryMb) : isDatabaseAway(error) ? databaseLost : ownMistake);
    });
    worker.on('exit', () => this.#running.delete(running));
    return end;
  }

  #makeRoom(asker: Pick<Running, 'by' | 'workspaceId'>): void {
    const running = [...this.#running];
    if (running.length < runningMax) return;
    const nowMs = this.#options.monotonicMs();
    const isEnding = running.length > runningMax;
    const hasNone = running.every(({ by }) => by !== asker.by);
    const second = running.find(({ by }, i) => running.slice(0, i).some((one) => one.by === by));
    const [oldest] = running as [Running, ...Running[]];
    const gives = second ?? (nowMs - oldest.sinceMs >= keepsPlaceMs ? oldest : undefined);
    if (hasNone && !isEnding && gives !== undefined) {
      gives.giveUp();
      return;
    }
    const leftSeconds = Math.ceil((oldest.sinceMs + keepsPlaceMs - nowMs) / 1_000);
    throw new Problem('rate.limited', whoAsks(running, asker, nowMs), {
      retryAfterSeconds: isEnding ? endingSeconds : hasNone ? leftSeconds : askAgainSeconds,
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map(({ worker }) => worker.terminate()));
  }
}

const gaveUp: Heard = {
  kind: 'failed',
  code: 'rate.limited',
  detail:
    'Somebody else asked something about the log, and this was the second of yours, or had its time. Ask it again in a while.',
};

/** Colleagues of the same workspace are named; who works in another one is nobody's to know. */
function whoAsks(running: readonly Running[], asker: Pick<Running, 'by' | 'workspaceId'>, nowMs: number): string {
  const told = running.slice(0, runningMax).map(({ by, workspaceId, sinceMs }) => {
    const who = by === asker.by ? 'you' : workspaceId === asker.workspaceId ? by : 'somebody in another workspace';
    return `${who}, for ${Math.floor((nowMs - sinceMs) / 1_000)} s`;
  });
  return `Other questions about the log are being answered (${told.join('; ')}). Ask again in a while.`;
}

function tooLarge(memoryMb: number): Heard {
  return {
    kind: 'failed',
    code: 'state.conflict',
    detail: `What has to be known for this takes more than the ${memoryMb} MB that a question may use. Run it as a command on a machine with more memory.`,
  };
}

const databaseLost: Heard = {
  kind: 'failed',
  code: 'database.unavailable',
  detail: 'The database was lost meanwhile. Ask again.',
};

const ownMistake: Heard = {
  kind: 'failed',
  code: 'service.failed',
  detail: 'It failed by an error of ours: the log of the service has more.',
};
