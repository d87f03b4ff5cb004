import { batchMax, type BreakerChange, type Completion, type PendingOutcome } from '@ringfence/delivery';
import { databaseRetryMs } from './bounds.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { appendOutcomes } from './outcome-records.ts';

interface Waiting {
  readonly completion: Completion;
  readonly done: () => void;
}

/**
 * Writes what became of leased actions: one transaction for all that ended while the one before was being written. A
 * database that is away is waited for; the number of completions that wait is bounded by the places.
 */
export class Recorder {
  readonly #deps: Pick<DispatcherDeps, 'outbox' | 'log' | 'clock' | 'logger'>;
  readonly #waiting: Waiting[] = [];
  /** Outcome records on their way to the log. */
  readonly #telling = new Set<Promise<void>>();
  #isWriting = false;
  #isBehind = false;
  #writing = Promise.resolve();
  #hurried = false;

  constructor(deps: Pick<DispatcherDeps, 'outbox' | 'log' | 'clock' | 'logger'>) {
    this.#deps = deps;
  }

  /**
   * Whether attempts that ended could not be written yet. Their leases may end meanwhile: who leased or expired anything now
   * would do so with what was sent already.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Resolves when the completion is written, or turned down because the lease was lost. */
  record(completion: Completion): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ completion, done: resolve });
    if (!this.#isWriting) this.#writing = this.#writeAll();
    return promise;
  }

  /** Appends outcomes to the log, beside everything else; resolves when they are there, or could not be appended. */
  tell(outcomes: readonly PendingOutcome[]): Promise<void> {
    const telling = appendOutcomes(this.#deps, outcomes).finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
    return telling;
  }

  /**
   * From now on a database that is away is not waited for: leases end by themselves, and what they were for is sent
   * again under the same id.
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
    // In the same step as the last look: what is recorded from now on begins anew.
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

  /** The alert goes by the log: it does not depend on the endpoint that fails. */
  #alert({ workspaceId, after }: BreakerChange): void {
    const fields = { workspace: workspaceId, failures: after.failures, failingSinceMs: after.failingSinceMs };
    const { logger } = this.#deps;
    if (after.state === 'open')
      logger.error(fields, 'the webhook endpoint fails: its actions wait, a probe every 30 s');
    else if (after.state === 'disabled') logger.error(fields, 'the webhook endpoint is disabled: its actions wait');
    else logger.info(fields, 'the webhook endpoint answers again: its actions leave');
  }
}
