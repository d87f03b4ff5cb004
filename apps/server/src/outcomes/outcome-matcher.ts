import type { Notifications } from '@ringfence/log';
import { WakeSignal } from '../platform/wake-signal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type MatchDeps, matchOutcomes, wakeArrived } from './match-outcomes.ts';
import { outcomeChannel } from './outcome-rows.ts';

/** Without a notification, a report is found this late. */
const lookEveryMs = 1_000;
/** How often waiting reports are compared with the operations that have arrived. */
const arrivedEveryMs = 5_000;
/** Bounds the rate of rounds when reports wait for a decision that takes a moment. */
const pauseMs = 50;

export interface OutcomeMatcherOptions extends MatchDeps {
  readonly workspaces: () => readonly Workspace[];
  readonly notifications: Notifications;
}

/** Matches reports with their events: at once when one arrives, and again while its event is not there. */
export class OutcomeMatcher {
  readonly #options: OutcomeMatcherOptions;
  readonly #wake = new WakeSignal();
  #hearNoMore: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #wokenAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OutcomeMatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#hearNoMore = this.#options.notifications.hear(outcomeChannel, { told: () => this.#wake.up() });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#hearNoMore?.();
    this.#wake.up();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#wake.reset();
      let waitMs = lookEveryMs;
      try {
        waitMs = await this.round();
      } catch (error) {
        this.#options.onError(error);
      }
      if (!this.#isStopped) await this.#wake.wait(waitMs);
    }
  }

  /** Tries all reports that are due. @returns the milliseconds until the next one may be due */
  async round(): Promise<number> {
    const { pool, workspaces, now } = this.#options;
    if (now() - this.#wokenAtMs >= arrivedEveryMs) {
      this.#wokenAtMs = now();
      await wakeArrived(pool, now());
    }
    for (let isMore = true; isMore && !this.#isStopped;) {
      isMore = false;
      const due = await this.#dueWorkspaces();
      for (const workspace of workspaces().filter(({ id }) => due.has(id))) {
        isMore = (await matchOutcomes(this.#options, workspace)) || isMore;
      }
    }
    const { rows } = await pool.query<{ next: Date | null }>({
      name: 'outcome_next',
      text: `select min(next_try_at) as next from outcome_report where state = 'waiting'`,
    });
    const next = rows[0]?.next ?? undefined;
    return next === undefined ? lookEveryMs : Math.max(pauseMs, Math.min(lookEveryMs, next.getTime() - now()));
  }

  async #dueWorkspaces(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#options.pool.query<{ workspace_id: string }>({
      name: 'outcome_due',
      text: `select distinct workspace_id from outcome_report where state = 'waiting' and next_try_at <= $1`,
      values: [new Date(this.#options.now())],
    });
    return new Set(rows.map((row) => row.workspace_id));
  }
}
