/*
 *     every 2 s: evaluate (one process at a time): what began, what is over --> outbox, in one transaction
 *     every second, and after each message: lease --> open --> send --> record
 *
 * Messages of one destination are sent one after the other; destinations do not wait for each other.
 */
import { homeOf } from '../platform/database/cell.ts';
import { minuteMs, secondMs } from '@ringfence/contract';
import { afterFailure, lifetimeMs } from '@ringfence/delivery';
import type { Pool } from 'pg';
import { readAccount } from '../access/accounts/account-rows.ts';
import type { Clock } from '../deliver/clock.ts';
import { type Address, readDestination } from '../notifications/destinations.ts';
import {
  endLease,
  type LeasedNotification,
  leaseNotifications,
  type Note,
  type NotificationEnd,
  readNotes,
  tidyNotifications,
} from '../notifications/notification-outbox.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { evaluate, type EvaluatorDeps } from './evaluator.ts';
import type { Message } from './message-forms.ts';
import { type SenderDeps, sendMessage, type SentMessage } from './sent-message.ts';

/** How late a condition is noticed. */
const lookMs = 2 * secondMs;
/** How late a message leaves. */
const pollMs = secondMs;
const tidyMs = minuteMs;
/** How long a stop waits for what is under way before it is aborted. */
const graceMs = 3 * secondMs;
/** The place of a message in the schedule of retries: an ordinary action. */
const asAction = 3;

export interface NotifierDeps extends Omit<EvaluatorDeps, 'nowMs'>, Omit<SenderDeps, 'machineMs'> {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly byId: (workspaceId: string) => Workspace | undefined;
  readonly clock: Clock;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  readonly consoleOrigin: string | undefined;
  /** `result` is `sent`, or the reason of the failure. */
  readonly attempted: (kind: string, result: string) => void;
  /** Ids, counts and codes only. */
  readonly logger: {
    warn(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
}

/** Finds what people want to know, and tells it. Several processes may run one on the same database. */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #abort = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #endings: (() => void)[] = [];
  #stopped = false;
  #isLeasing = false;

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#endings = [
      this.#every(lookMs, () => this.look()),
      this.#every(pollMs, () => this.send()),
      this.#every(tidyMs, () => tidyNotifications(this.#deps.pool, this.#deps.clock.nowMs())),
    ];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const end of this.#endings.splice(0)) end();
    const cancel = this.#deps.clock.after(graceMs, () => this.#abort.abort());
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    cancel();
    await this.#deps.transport.close();
  }

  giveUp(): void {
    this.#abort.abort();
  }

  /** Looks once at everything. */
  async look(): Promise<void> {
    const { clock, ...deps } = this.#deps;
    while (!this.#stopped && (await evaluate({ ...deps, nowMs: () => clock.nowMs() })));
  }

  /** Begins to send what is due; resolves when it is under way. */
  async send(): Promise<void> {
    if (this.#isLeasing || this.#stopped) return;
    this.#isLeasing = true;
    try {
      for (const lease of await leaseNotifications(this.#deps.pool, this.#deps.clock.nowMs())) {
        this.#track(this.#deliver(lease).then(() => this.send()));
      }
    } finally {
      this.#isLeasing = false;
    }
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #every(periodMs: number, work: () => Promise<void>): () => void {
    let cancel = (): void => {};
    const next = (): void => {
      if (this.#stopped) return;
      cancel = this.#deps.clock.after(periodMs, () => this.#track(work().finally(next)));
    };
    next();
    return () => cancel();
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) =>
        this.#deps.logger.warn({ err: error }, 'notifications could not be handled; will retry'),
      )
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #deliver(lease: LeasedNotification): Promise<void> {
    const { pool, clock, logger, attempted } = this.#deps;
    const end = await this.#attempt(lease);
    if (end.attempted) attempted(lease.kind, end.failure ?? 'sent');
    const { id, destination } = lease;
    if (end.next.state === 'dead') logger.warn({ notification: id, destination, failure: end.failure }, deadMessage);
    for (const turn of await endLease(pool, end, clock.nowMs())) {
      if (turn.state === 'closed') logger.info(turn, 'a destination of notifications answers again');
      else logger.warn(turn, 'a destination of notifications fails: its messages wait');
    }
  }

  /** Sends a message, unless there is nothing to say any more, or no place to say it. */
  async #attempt(lease: LeasedNotification): Promise<NotificationEnd> {
    const { clock } = this.#deps;
    const nothingSent = { lease, attempted: false, health: undefined, failure: undefined };
    const startedAtMs = clock.nowMs();
    if (lease.expiresAtMs <= startedAtMs) return { ...nothingSent, failure: 'expired', next: { state: 'dead' } };
    const workspace = this.#deps.byId(lease.workspaceId);
    const target = workspace && (await this.#targetOf(lease, workspace));
    const notes = target === undefined ? [] : await readNotes(this.#deps, workspace!, lease.id);
    if (target === undefined || notes.length === 0) return { ...nothingSent, next: { state: 'dropped' } };
    const { address, language } = target;
    if (address === undefined) return { ...nothingSent, failure: 'address', next: { state: 'dead' } };
    const message = this.#messageOf(lease, { workspace: workspace!, notes, language });
    const of = { message, address, workspace: workspace!, destination: lease.destination };
    const sent = await sendMessage({ ...this.#deps, machineMs: () => clock.machineMs() }, of, this.#abort.signal);
    return this.#judged(lease, sent, { startedAtMs, endedAtMs: clock.nowMs() });
  }

  #messageOf(
    { id, madeAtMs }: LeasedNotification,
    of: { readonly workspace: Workspace; readonly notes: readonly Note[]; readonly language: string },
  ): Message {
    const { workspace, notes, language } = of;
    return { id, madeAtMs, workspace, notes, language, consoleOrigin: this.#deps.consoleOrigin };
  }

  /** Where a message goes; `undefined` when the destination or the person is gone. */
  async #targetOf(
    { destination, kind }: LeasedNotification,
    workspace: Workspace,
  ): Promise<{ readonly address: Address | undefined; readonly language: string } | undefined> {
    const { pool } = this.#deps;
    if (destination.startsWith('acc_')) {
      const account = await readAccount(homeOf(this.#deps), destination).catch(() => undefined);
      if (account === undefined || account.disabledAtMs !== undefined || kind !== 'email') return undefined;
      return { address: { kind, to: [account.email] }, language: account.language };
    }
    const found = await readDestination(pool, workspace, destination).catch(() => undefined);
    return found && { address: found.address, language: found.settings.language };
  }

  #judged(
    lease: LeasedNotification,
    { failure }: SentMessage,
    { startedAtMs, endedAtMs }: { readonly startedAtMs: number; readonly endedAtMs: number },
  ): NotificationEnd {
    const health = (kind: 'answered' | 'failed') => ({ kind, startedAtMs, endedAtMs });
    if (failure === undefined) {
      return { lease, attempted: true, health: health('answered'), failure: undefined, next: { state: 'sent' } };
    }
    const { reason, retryAfterMs, overloaded = false } = failure;
    // A request that this process aborted is no evidence; a server that refuses a recipient is well itself.
    const found = reason === 'interrupted' ? undefined : health(reason === 'recipient' ? 'answered' : 'failed');
    const next = afterFailure({
      action: asAction,
      attempt: lease.attempts + 1,
      jitter: this.#deps.random(),
      notExecuted: false,
      notExecutedBefore: 0,
      retryAfterMs,
      overloaded,
    });
    const dueAtMs = next.kind === 'wait' ? endedAtMs + next.delayMs : Infinity;
    const isOver = dueAtMs >= Math.min(lease.expiresAtMs, endedAtMs + lifetimeMs(asAction));
    return {
      lease,
      attempted: true,
      health: found,
      failure: reason,
      next: isOver ? { state: 'dead' } : { state: 'due', dueAtMs },
    };
  }
}

const deadMessage = 'a notification was not sent and is not tried again';
