/**
 * Sends one stream. One process at a time has its turn, by a lock of the database; the others take over when it ends:
 *
 *     waiting --lock--> turn: look at all cursors, deliver what is behind them, look again ... --30 s, failure--> waiting
 *
 * A process that lost its lock without noticing can still send, but moves no cursor: the receiver gets repeats, and
 * never misses anything.
 */
import { minuteMs, secondMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { whileLocked } from '../platform/database/advisory-lock.ts';
import type { LineLogger } from '../platform/observability/thread-logger.ts';
import { sleep } from '../platform/sleep.ts';
import { masked } from '../api/server/masking.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { Delivery } from './delivery.ts';
import { type FactSources, workspaceText } from './fact.ts';
import { messageSchemas } from './message-schemas.ts';
import {
  type Cursor,
  CursorMovedError,
  type CursorState,
  noteState,
  noteThrough,
  prepareCursors,
  readCursors,
} from './stream-cursors.ts';
import { type StreamSettings, targetText } from './stream-settings.ts';

/** How long a fact waits at most while everything works. */
const lookEveryMs = 500;
/** Then another process may have the stream. */
const turnMs = 30 * secondMs;
/** Notes that everything has left: how far back retention and the lag may be wrong. */
const noteEveryMs = 5 * secondMs;
const firstPauseMs = secondMs;
const pauseMsMax = minuteMs;

export interface StreamSenderOptions {
  readonly pool: Pool;
  readonly settings: StreamSettings;
  readonly sources: FactSources;
  readonly delivery: Delivery;
  readonly workspaces: () => readonly Workspace[];
  readonly logger: LineLogger;
  readonly now: () => number;
  /** In [0, 1): spreads the attempts of several processes. */
  readonly random: () => number;
}

export class StreamSender {
  readonly #options: StreamSenderOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Failed turns since the last one that worked. */
  #failures = 0;
  #notedAtMs = 0;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#options.delivery.reset();
  }

  async #run(): Promise<void> {
    const { pool, settings } = this.#options;
    while (!this.#stop.signal.aborted) {
      let waitMs = lookEveryMs;
      try {
        await whileLocked(pool, { lock: `ringfence.stream ${settings.name}` }, () => this.#turn());
      } catch (error) {
        waitMs = await this.#failed(error);
      }
      await sleep(waitMs, this.#stop.signal);
    }
  }

  async #turn(): Promise<void> {
    const { now } = this.#options;
    const endMs = now() + turnMs;
    await this.prepare();
    while (now() < endMs && !this.#stop.signal.aborted) {
      const isDone = await this.round();
      await this.#works();
      if (isDone) await sleep(lookEveryMs, this.#stop.signal);
    }
  }

  /** Creates the cursors that are missing. */
  prepare(): Promise<void> {
    const { pool, settings } = this.#options;
    return prepareCursors(
      pool,
      settings,
      this.#wanted().map(({ id }) => id),
    );
  }

  /** Delivers what is behind every cursor. @returns whether nothing was left. @throws the first failure, after all were tried */
  async round(): Promise<boolean> {
    const { pool, settings, delivery, now } = this.#options;
    const beganAtMs = now();
    const cursors = await readCursors(pool, settings.name);
    const done: Cursor[] = cursors.filter((cursor) => !this.#isWanted(cursor) || !cursor.isAhead);
    const due = cursors.filter(
      (cursor) => this.#isWanted(cursor) && cursor.isAhead && delivery.isDue?.(cursor) !== false,
    );
    const failures: unknown[] = [];
    let isDone = true;
    for (const cursor of due) {
      if (this.#stop.signal.aborted) return true;
      try {
        if (!(await this.#deliver(cursor))) isDone = false;
      } catch (error) {
        if (!(error instanceof CursorMovedError)) failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    if (beganAtMs - this.#notedAtMs >= noteEveryMs) {
      this.#notedAtMs = beganAtMs;
      await noteThrough(pool, settings.name, { cursors: done, throughMs: beganAtMs });
    }
    return isDone;
  }

  #deliver(cursor: CursorState): Promise<boolean> {
    const { pool, settings, sources, delivery } = this.#options;
    const workspace = this.#workspace(cursor.workspaceId);
    const source = sources[cursor.kind];
    const schema = messageSchemas[cursor.kind];
    return delivery.deliver({
      pool,
      cursor,
      workspace: workspace && workspaceText(workspace).replace('/', '-'),
      read: (from, limit) => source.read(workspace, from, limit),
      mask: (message) => (settings.personalData === 'shown' ? message : masked(schema, message)),
      stop: this.#stop.signal,
    });
  }

  /** Cursors of workspaces that were removed, or are no longer part of the stream, stay where they are. */
  #isWanted({ workspaceId, kind }: Cursor): boolean {
    const { of } = this.#options.settings;
    return of.includes(kind) && (workspaceId === '' || this.#workspace(workspaceId) !== undefined);
  }

  #workspace(id: string): Workspace | undefined {
    return this.#wanted().find((workspace) => workspace.id === id);
  }

  #wanted(): readonly Workspace[] {
    const { workspaces, settings } = this.#options;
    return workspaces().filter((one) => settings.workspaces?.includes(workspaceText(one)) ?? true);
  }

  async #works(): Promise<void> {
    if (this.#failures === 0) return;
    const { pool, settings, logger } = this.#options;
    this.#failures = 0;
    await noteState(pool, settings.name, undefined);
    logger.info({ stream: settings.name, to: targetText(settings.target) }, 'the stream is taken again');
  }

  /** @returns the milliseconds until the next attempt */
  async #failed(error: unknown): Promise<number> {
    if (this.#stop.signal.aborted) return 0;
    const { pool, settings, delivery, logger, random } = this.#options;
    if (this.#failures === 0) {
      logger.error({ err: error, stream: settings.name, to: targetText(settings.target) }, 'the stream is not taken');
    }
    const pauseMs = Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(this.#failures, 20));
    this.#failures++;
    await noteState(pool, settings.name, errorText(error)).catch(() => undefined);
    await delivery.reset();
    return Math.round(pauseMs * (0.5 + random() / 2));
  }
}

/** The message of an error with those of its causes, for people. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes = error instanceof AggregateError ? error.errors.map(errorText) : [];
  return [error.message, ...new Set(causes)]
    .map((text) => text.replace(/\.$/, ''))
    .join(': ')
    .slice(0, 1_000);
}
