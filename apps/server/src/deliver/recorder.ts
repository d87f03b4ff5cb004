import { batchMax, type BreakerChange, type Completion, type Outbox, type PendingOutcome } from '@ringfence/delivery';
import { appendsMax, databaseRetryMs } from './bounds.ts';
import type { DispatcherDeps, DispatcherLogger } from './dispatcher-deps.ts';
import type { Outcome } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';

interface Waiting {
  readonly completion: Completion;
  readonly done: () => void;
}

/**
 * Records the results of leased actions: one transaction for all that ended while the previous one was being written.
 * While the database is down it waits; the number of waiting completions is bounded by the slots.
 */
export class Recorder {
  readonly #deps: Pick<DispatcherDeps, 'outbox' | 'log' | 'clock' | 'logger'>;
  readonly #waiting: Waiting[] = [];
  /** Appends of outcome records in progress. */
  readonly #telling = new Set<Promise<void>>();
  #isWriting = false;
  #isBehind = false;
  #writing = Promise.resolve();
  #hurried = false;

  constructor(deps: Pick<DispatcherDeps, 'outbox' | 'log' | 'clock' | 'logger'>) {
    this.#deps = deps;
  }

  /**
   * Whether ended attempts could not be written yet. Their leases may expire meanwhile: leasing or expiring actions now
   * would affect actions that were already sent.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Resolves when the completion is written, or rejected because the lease was lost. */
  record(completion: Completion): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ completion, done: resolve });
    if (!this.#isWriting) this.#writing = this.#writeAll();
    return promise;
  }

  /** Appends outcomes to the log, concurrently; resolves when they are appended or have failed. */
  tell(outcomes: readonly PendingOutcome[]): Promise<void> {
    const telling = appendOutcomes(this.#deps, outcomes).finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
    return telling;
  }

  /**
   * From now on does not wait for an unavailable database: leases expire, and their actions are sent again under the
   * same id.
   */
  hurry(): void {
    this.#hurried = true;
  }

  /** Resolves when nothing is left to write. */
  async drained(): Promise<void> {
    while (this.#isWriting || this.#telling.size > 0) {
      await Promise.all([this.#writing, ...this.#telling]);
    }
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      await this.#write(batch.map(({ completion }) => completion));
      for (const { done } of batch) done();
    }
    // Synchronously after the last check: a later completion starts a new loop.
    this.#isWriting = false;
    this.#isBehind = false;
  }

  async #write(completions: readonly Completion[]): Promise<void> {
    const { outbox, clock, logger } = this.#deps;
    for (;;) {
      try {
        const { accepted, outcomes, breakers } = await outbox.complete(completions, clock.nowMs());
        const lost = completions.length - accepted.length;
        if (lost > 0) logger.warn({ lost }, 'leases were lost before their attempts were recorded');
        for (const change of breakers) this.#alert(change);
        void this.tell(outcomes);
        return;
      } catch (error) {
        this.#isBehind = true;
        logger.error({ err: error, waiting: completions.length }, 'attempts could not be recorded');
        if (this.#hurried) return;
        await new Promise<void>((resolve) => void clock.after(databaseRetryMs, resolve));
      }
    }
  }

  /** The alert is a log line: it does not depend on the failing endpoint. */
  #alert({ workspaceId, after }: BreakerChange): void {
    const fields = { workspace: workspaceId, failures: after.failures, failingSinceMs: after.failingSinceMs };
    const { logger } = this.#deps;
    if (after.state === 'open')
      logger.error(fields, 'the webhook endpoint fails: its actions wait, and a probe is sent every 30 s');
    else if (after.state === 'disabled') logger.error(fields, 'the webhook endpoint is disabled: its actions wait');
    else logger.info(fields, 'the webhook endpoint answers again: its actions are sent');
  }
}

interface OutcomeDeps {
  readonly outbox: Pick<Outbox, 'outcomesAppended'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly logger: DispatcherLogger;
}

/**
 * Reports the results of actions to the engine, as one log record each. An outcome that cannot be appended now is
 * claimed again later, by this process or another; the engine ignores a record that it has already seen.
 */
async function appendOutcomes(deps: OutcomeDeps, outcomes: readonly PendingOutcome[]): Promise<void> {
  for (let from = 0; from < outcomes.length; from += appendsMax) {
    const chunk = outcomes.slice(from, from + appendsMax);
    const results = await Promise.allSettled(chunk.map((outcome) => append(deps.log, outcome)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) deps.logger.warn({ err: failed.reason }, 'could not append outcomes; will retry');
    const appended = chunk.filter((_, index) => results[index]?.status === 'fulfilled');
    await deps.outbox.outcomesAppended(appended).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'outcomes were appended but not marked; they will be appended again');
    });
  }
}

async function append(log: Pick<EventLog, 'append'>, pending: PendingOutcome): Promise<void> {
  const { workspaceId, subject, offset, reason, position, action, result } = pending;
  const outcome: Outcome = { offset, reason, position, action, result };
  await log.append(workspaceId, {
    kind: 'outcome',
    ...(subject === undefined ? {} : { subject }),
    payload: Buffer.from(JSON.stringify(outcome)),
  });
}
