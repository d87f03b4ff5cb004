import { hostname } from 'node:os';
import { minuteMs, secondMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { whileLocked } from '../../../platform/database/advisory-lock.ts';
import type { LineLogger } from '../../../platform/observability/thread-logger.ts';
import type { MasterKeys } from '../../../platform/secrets/master-keys.ts';
import { sleep } from '../../../platform/sleep.ts';
import type { Stages } from '../../../platform/stages.ts';
import { settleIntents } from '../audit-intent.ts';
import { listAudit } from '../audit-log.ts';
import { type SendBounds, sendConfirmed } from './send-confirmed.ts';
import { moveSent, readSent, readUnsent } from './sent-entries.ts';
import { framed, syslogMessage } from './syslog-message.ts';
import { addressOf, type SyslogSettings } from './syslog-settings.ts';

const lock = 'ringfence.syslog';
/** An entry leaves within this time, and that of a connection. */
const lookEveryMs = secondMs;
/** Changes whose process ended become entries. */
const settleEveryMs = minuteMs;
/** Entries for a connection: at the default length, less than 2 MB. */
const entriesMax = 200;
const firstPauseMs = secondMs;
const pauseMsMax = 5 * minuteMs;

export interface SyslogSenderOptions {
  readonly pool: Pool;
  readonly master: MasterKeys;
  readonly settings: SyslogSettings;
  readonly logger: LineLogger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** In [0, 1): spreads the attempts of several processes. */
  readonly random: () => number;
  /** An attempt failed. */
  readonly onFailure: () => void;
  readonly bounds?: SendBounds;
}

/**
 * Sends the audit log to a syslog server, at least once and in order. One process at a time sends; the cursor of all of
 * them moves once the receiver has taken the entries. See docs/internals/audit.md.
 */
export class SyslogSender {
  readonly #options: SyslogSenderOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #settledAtMs = Number.NEGATIVE_INFINITY;
  /** Entries of the next connection: fewer after failures, because a slow receiver takes a few in time. */
  #limit = entriesMax;
  /** Failed attempts since the last one that succeeded. */
  #failures = 0;
  #failingSinceMs = 0;

  constructor(options: SyslogSenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { logger } = this.#options;
    while (!this.#stop.signal.aborted) {
      let waitMs = lookEveryMs;
      try {
        waitMs = await this.round();
      } catch (error) {
        if (!this.#stop.signal.aborted)
          logger.warn({ err: error }, 'could not read what of the audit log is to be sent');
      }
      await sleep(waitMs, this.#stop.signal);
    }
  }

  /** Sends what waits, at most one connection's share. @returns the milliseconds until the next round */
  async round(): Promise<number> {
    const { pool, now } = this.#options;
    if (now() - this.#settledAtMs >= settleEveryMs) {
      await settleIntents(this.#options);
      this.#settledAtMs = now();
    }
    const { waiting } = await readUnsent(pool, now());
    if (waiting === 0) return lookEveryMs;
    return (await whileLocked(pool, { lock }, () => this.#send())) ?? lookEveryMs;
  }

  async #send(): Promise<number> {
    const { pool, settings, bounds } = this.#options;
    const limit = this.#limit;
    const rows = await listAudit(pool, {}, { limit, after: await readSent(pool) });
    const last = rows.at(-1);
    if (last === undefined) return lookEveryMs;
    const form = { ...settings, hostName: hostname() };
    const frames = rows.map((row) => framed(syslogMessage(row, form)));
    try {
      await sendConfirmed(settings, frames, { stop: this.#stop.signal, ...(bounds === undefined ? {} : { bounds }) });
    } catch (error) {
      return this.#stop.signal.aborted ? 0 : this.#failed(error);
    }
    await moveSent(pool, last.seq);
    this.#succeeded(last.seq);
    return rows.length === limit ? 0 : lookEveryMs;
  }

  #failed(error: unknown): number {
    const { settings, logger, now, random, onFailure } = this.#options;
    onFailure();
    if (this.#failures === 0) {
      this.#failingSinceMs = now();
      logger.error({ err: error, to: addressOf(settings) }, 'the syslog server does not take the audit log');
    }
    const pauseMs = Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(this.#failures, 20));
    this.#failures++;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    return Math.round(pauseMs * (0.5 + random() / 2));
  }

  #succeeded(seq: number): void {
    const { settings, logger, now } = this.#options;
    this.#limit = Math.min(entriesMax, this.#limit * 2);
    if (this.#failures === 0) return;
    const failedMs = now() - this.#failingSinceMs;
    this.#failures = 0;
    logger.info({ to: addressOf(settings), seq, failedMs }, 'the syslog server takes the audit log again');
  }
}

/** Starts the sender, where the file names a syslog server. */
export function openSyslog(
  options: Omit<SyslogSenderOptions, 'settings' | 'random'> & {
    readonly settings: SyslogSettings | undefined;
    readonly stages: Stages;
  },
): void {
  const { settings, stages } = options;
  if (settings === undefined) return;
  const sender = new SyslogSender({ ...options, settings, random: Math.random });
  sender.start();
  stages.started('syslog sender', () => sender.stop());
}
