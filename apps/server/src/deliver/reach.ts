import type { Attempt, FailureReason, LeasePlaces } from '@ringfence/delivery';
import { connectRestMs } from './bounds.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';

/** Fewer failures in a row do not show that this process is cut off. */
const seriesMin = 3;
/** After a failure others go first for this time: less than until the next poll. */
const yieldMs = 300;
/** The request was not sent. */
const unsent: ReadonlySet<FailureReason> = new Set(['dns', 'refused', 'connectTimeout', 'tls', 'proxy']);

interface Series {
  /** Attempts of this process since its last answer that found no connection. */
  readonly length: number;
  /** When the last one of them had ended. */
  readonly failedAtMs: number;
  /** When this process last made an attempt although others reach the endpoint and it does not. */
  readonly triedAtMs: number | undefined;
}

/**
 * Whether this process reaches the endpoints that other processes reach. One that does not would lease actions, lose an
 * attempt of each, and take them from those that could send them: it tries again every `connectRestMs`, until it gets an
 * answer.
 *
 * An endpoint's breaker counts the failures of all processes since its last answer. If they are fewer than those of this
 * process alone, another one got an answer meanwhile.
 */
export class Reach {
  readonly #deps: Pick<DispatcherDeps, 'outbox' | 'clock' | 'logger'>;
  readonly #series = new Map<string, Series>();

  constructor(deps: Pick<DispatcherDeps, 'outbox' | 'clock' | 'logger'>) {
    this.#deps = deps;
  }

  /** Notes an attempt that is recorded. */
  note(workspaceId: string, attempt: Attempt | undefined): void {
    if (attempt?.status !== undefined) this.#series.delete(workspaceId);
    if (attempt?.reason === undefined || !unsent.has(attempt.reason)) return;
    const { length, triedAtMs } = this.#series.get(workspaceId) ?? { length: 0, triedAtMs: undefined };
    this.#series.set(workspaceId, { length: length + 1, failedAtMs: this.#deps.clock.nowMs(), triedAtMs });
  }

  /** How many actions of each workspace this process should lease now; workspaces with none are omitted. */
  async limit(places: readonly LeasePlaces[]): Promise<readonly LeasePlaces[]> {
    const limited: LeasePlaces[] = [];
    for (const free of places) {
      const series = this.#series.get(free.workspaceId);
      if (series === undefined || series.length < seriesMin) limited.push(free);
      else if (this.#deps.clock.nowMs() - series.failedAtMs >= yieldMs)
        limited.push(...((await this.#isCutOff(free, series)) ? this.#tryOne(free, series) : [free]));
    }
    return limited;
  }

  async #isCutOff({ workspaceId }: LeasePlaces, { length }: Series): Promise<boolean> {
    const { state, failures } = await this.#deps.outbox.endpoint(workspaceId);
    // Otherwise only probes leave.
    return state === 'closed' && failures < length;
  }

  /** At most one urgent action and one other, if it is time. */
  #tryOne({ workspaceId, urgent, ordinary }: LeasePlaces, { triedAtMs }: Series): readonly LeasePlaces[] {
    const { clock, logger } = this.#deps;
    const nowMs = clock.nowMs();
    if (triedAtMs !== undefined && nowMs - triedAtMs < connectRestMs) return [];
    if (triedAtMs === undefined)
      logger.warn(
        { workspace: workspaceId },
        'others reach the webhook endpoint, this process does not: it tries one action every 10 s',
      );
    // Attempts may have ended meanwhile.
    const series = this.#series.get(workspaceId);
    if (series !== undefined) this.#series.set(workspaceId, { ...series, triedAtMs: nowMs });
    return [{ workspaceId, urgent: Math.min(1, urgent), ordinary: Math.min(1, ordinary) }];
  }
}
