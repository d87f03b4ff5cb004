import { totalmem } from 'node:os';
import { Problem } from '@ringfence/contract';
import type { ClientConfig } from 'pg';
import { isDatabaseUnavailable } from '../../platform/observability/database-unavailable.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { isOutOfMemory, Thread } from '../../platform/thread.ts';
import type { Heard, Query } from './query.ts';
import type { QueryThreadSettings } from './query-thread.ts';

export interface QueriesOptions {
  /** For the threads' own connections. */
  readonly database: ClientConfig;
  readonly logger: { error(fields: object, message: string): void };
  readonly monotonicMs: () => number;
}

/** A query, and its author. */
export interface Asked {
  readonly workspace: Workspace;
  readonly inquiry: Query;
  readonly by: string;
}

interface Running {
  readonly by: string;
  readonly workspaceId: string;
  readonly sinceMs: number;
  readonly thread: Thread<Heard>;
  /** Ends it in favour of another person, and informs its author. */
  readonly giveUp: () => void;
}

/** Per process: each uses one of the cores that the engine does not need. */
const runningMax = 2;
/** Share of the machine's memory for all of them together. */
const memoryShare = 0.3;
/**
 * How long a query is protected from others: long enough for weeks of a busy log. Without a limit, two people with
 * endless queries would block everyone else.
 */
const keepsPlaceMs = 5 * 60_000;
/** The time that a terminated thread needs to end. */
const endingSeconds = 2;
/** A guess: the end of the running queries is unknown. */
const askAgainSeconds = 20;

/** Runs queries of the log within the service, in low-priority threads that end when the caller disconnects. */
export class Queries {
  readonly #options: QueriesOptions;
  /** Oldest first, including those whose threads are still ending. */
  readonly #running = new Set<Running>();

  constructor(options: QueriesOptions) {
    this.#options = options;
  }

  /**
   * Starts a query. Its messages end with `searched`, `decided` or `failed`. When all places are taken, a
   * person without a query takes the place of the newest query of a person with more than one, otherwise that of the
   * oldest query that had its time.
   *
   * @returns a function that ends it, whether it was answered or not
   * @throws Problem `rate.limited` when all places are taken, with the holders and the time until one is free
   */
  begin({ workspace, inquiry, by }: Asked, hear: (heard: Heard) => void): () => void {
    this.#makeRoom({ by, workspaceId: workspace.id });
    const { database, logger, monotonicMs } = this.#options;
    const memoryMb = Math.floor((totalmem() * memoryShare) / 2 ** 20 / runningMax);
    const thread = new Thread<Heard>({
      entry: new URL('./query-thread.ts', import.meta.url),
      name: 'query',
      settings: { database, workspace, inquiry } satisfies QueryThreadSettings,
      memoryMb,
      onMessage: hear,
      onEnd: (error) => {
        this.#running.delete(running);
        if (error === undefined) return;
        const isTooLarge = isOutOfMemory(error);
        if (!isTooLarge) logger.error({ workspace: workspace.id, err: error }, 'a query of the log failed');
        hear(isTooLarge ? tooLarge(memoryMb) : isDatabaseUnavailable(error) ? databaseLost : ownMistake);
      },
    });
    const end = (): void => void thread.stop();
    const running: Running = {
      by,
      workspaceId: workspace.id,
      sinceMs: monotonicMs(),
      thread,
      giveUp: () => {
        end();
        hear(gaveUp);
      },
    };
    this.#running.add(running);
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
    await Promise.all([...this.#running].map(({ thread }) => thread.stop()));
  }
}

const gaveUp: Heard = {
  kind: 'failed',
  code: 'rate.limited',
  detail:
    'Another person needed the place of this query: it was the second one of yours, or it had its time. Try again later.',
};

/** Names colleagues of the same workspace; people of other workspaces stay anonymous. */
function whoAsks(running: readonly Running[], asker: Pick<Running, 'by' | 'workspaceId'>, nowMs: number): string {
  const told = running.slice(0, runningMax).map(({ by, workspaceId, sinceMs }) => {
    const who = by === asker.by ? 'you' : workspaceId === asker.workspaceId ? by : 'a user of another workspace';
    return `${who}, for ${Math.floor((nowMs - sinceMs) / 1_000)} s`;
  });
  return `Other queries of the log are running (${told.join('; ')}). Try again later.`;
}

function tooLarge(memoryMb: number): Heard {
  return {
    kind: 'failed',
    code: 'state.conflict',
    detail: `This needs more than the ${memoryMb} MB of memory that a query may use. Run it as a command on a machine with more memory.`,
  };
}

const databaseLost: Heard = {
  kind: 'failed',
  code: 'database.unavailable',
  detail: 'The database connection was lost. Try again.',
};

const ownMistake: Heard = {
  kind: 'failed',
  code: 'service.failed',
  detail: 'Internal error: see the log of the service.',
};
