import { createHash } from 'node:crypto';
import { batchMax, type Completion, type LeasedAction } from '@ringfence/delivery';
import { keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { claimMs, databaseRetryMs, leaseAgeMsMax, pollMs, stopGraceMs, tidyMs } from './bounds.ts';
import { deliverAction } from './deliver-action.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { ConcurrencySlots } from './concurrency-slots.ts';
import { Reach } from './reach.ts';
import { Recorder } from './recorder.ts';
import { sendTestAction, type TestTranscript } from './test-action.ts';
import type { Sender } from './webhook-request.ts';

/*
 *   wake, NOTIFY, a slot is free, every 500 ms
 *        |
 *        v
 *   lease due actions --> open under the client's key --> POST --> record attempt and state --> append outcome to log
 *   (as many as slots     (erased: nothing is sent)      (15 s)    (one transaction for all
 *    are free)                                                      that ended meanwhile)
 *
 * Leasing is one query at a time; everything after it runs concurrently, bounded by the slots.
 */

/** Sends actions to clients' webhooks. Several processes may run one on the same outbox. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #places = new ConcurrencySlots();
  readonly #recorder: Recorder;
  readonly #reach: Reach;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  /** Workspaces to check in the next lease. */
  readonly #woken = new Set<string>();
  #isLeasing = false;
  #leasing = Promise.resolve();
  /** Periodic work in progress. */
  readonly #chores = new Set<Promise<void>>();
  #stopped = false;
  #endings: (() => void)[] = [];

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#recorder = new Recorder(deps);
    this.#reach = new Reach(deps);
  }

  start(): void {
    const { outbox, registry } = this.#deps;
    this.#endings = [
      outbox.onDue((workspaceId) => this.wake(workspaceId)),
      registry.onChange(() => void this.#agreeOnTargets()),
      this.#every(pollMs, () => this.#poll()),
      this.#every(tidyMs, () => this.#tidy()),
      this.#every(claimMs, async () => this.#recorder.tell(await outbox.claimOutcomes(this.#deps.clock.nowMs()))),
    ];
    void this.#agreeOnTargets();
    this.wake();
  }

  /** Checks immediately for due actions, of one workspace or of all. Cheap; simultaneous calls are merged. */
  wake(workspaceId?: string): void {
    if (this.#stopped) return;
    if (workspaceId !== undefined) this.#woken.add(workspaceId);
    else for (const { id } of this.#deps.registry.all()) this.#woken.add(id);
    if (!this.#isLeasing) this.#leasing = this.#leaseWoken();
  }

  /** Stops leasing; running attempts have `graceMs` to end, and are aborted then. */
  windDown(graceMs = stopGraceMs): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const end of this.#endings.splice(0)) end();
    this.#endings.push(this.#deps.clock.after(graceMs, () => this.giveUp()));
  }

  /**
   * Winds down, unless that has begun, and returns when everything is recorded. Aborted attempts are retried by the
   * next process that leases them.
   */
  async stop(graceMs = stopGraceMs): Promise<void> {
    this.windDown(graceMs);
    await Promise.all([this.#leasing, ...this.#chores]);
    await Promise.all(this.#underWay);
    for (const end of this.#endings.splice(0)) end();
    await this.#recorder.drained();
    await this.#deps.transport.close();
  }

  /** Aborts running attempts, and does not wait for the database to record them: the time for the stop has run out. */
  giveUp(): void {
    this.#abort.abort();
    this.#recorder.hurry();
  }

  /**
   * Sends a test action to the workspace's webhook and returns the whole exchange.
   *
   * @throws Problem when the workspace has no webhook or no key, or deliveries are paused
   */
  sendTest(workspace: Workspace): Promise<TestTranscript> {
    const { outbox, registry, transport, clock } = this.#deps;
    return sendTestAction({ deliveries: outbox, transport, clock }, workspace, registry.sendingKey(workspace.id));
  }

  /** Runs `work` periodically, one run at a time; a failed run is logged and does not stop later ones. */
  #every(periodMs: number, work: () => Promise<void>): () => void {
    const { clock, logger } = this.#deps;
    let cancel = (): void => {};
    const next = (): void => {
      if (this.#stopped) return;
      cancel = clock.after(periodMs, () => {
        const chore = work()
          .catch((error: unknown) => logger.error({ err: error }, 'an outbox query failed; will retry'))
          .finally(() => {
            this.#chores.delete(chore);
            next();
          });
        this.#chores.add(chore);
      });
    };
    next();
    return () => cancel();
  }

  async #poll(): Promise<void> {
    const { outbox, clock, registry } = this.#deps;
    if (this.#recorder.isBehind) return;
    this.wake();
    const live = registry.all().flatMap(({ id }) => (this.#senderOf(id) === undefined ? [] : [id]));
    const probes = await outbox.leaseProbes(live, clock.nowMs());
    await this.#sendAll(probes, clock.nowMs());
  }

  async #tidy(): Promise<void> {
    while (!this.#recorder.isBehind && !this.#stopped) {
      const { expired, outcomes } = await this.#deps.outbox.tidy(this.#deps.clock.nowMs());
      const told = this.#recorder.tell(outcomes);
      if (expired < batchMax) return;
      // A long queue of expired actions delays those that are still to be sent, so it is worked off first.
      await told;
    }
  }

  /** Resets breakers whose URL changed: the state of one endpoint does not apply to another. */
  async #agreeOnTargets(): Promise<void> {
    const targets = this.#deps.registry.all().flatMap(({ id, settings }) => {
      if (settings.webhook === undefined) return [];
      return [{ workspaceId: id, target: createHash('sha256').update(settings.webhook.url).digest('hex') }];
    });
    await this.#deps.outbox.setTargets(targets).catch((error: unknown) => {
      this.#deps.logger.warn(
        { err: error },
        'could not update the endpoints in the outbox; will retry at the next change',
      );
    });
  }

  async #leaseWoken(): Promise<void> {
    this.#isLeasing = true;
    while (this.#woken.size > 0 && !this.#stopped) {
      const live = [...this.#woken].filter((workspaceId) => this.#senderOf(workspaceId) !== undefined);
      this.#woken.clear();
      await this.#leaseOf(live);
    }
    // Synchronously after the last check: a later wake-up starts a new loop.
    this.#isLeasing = false;
  }

  async #leaseOf(workspaceIds: readonly string[]): Promise<void> {
    const free = this.#places.free(workspaceIds);
    if (free.length === 0 || this.#recorder.isBehind) return;
    const { outbox, clock, logger } = this.#deps;
    try {
      const places = await this.#reach.limit(free);
      if (places.length === 0) return;
      const leasedAtMs = clock.nowMs();
      await this.#sendAll(await outbox.lease(places, leasedAtMs), leasedAtMs);
    } catch (error) {
      // The next poll retries; a loop here would only add load to a database that is down.
      logger.error({ err: error }, 'could not lease actions; will retry');
    }
  }

  /** The workspace with its webhook and key; `undefined` when nothing may be sent for it now. */
  #senderOf(workspaceId: string): Sender | undefined {
    const workspace = this.#deps.registry.byId(workspaceId);
    const settings = workspace?.settings.webhook;
    if (workspace === undefined || settings === undefined || workspace.settings.deliver !== 'live') return undefined;
    const sendingKey = this.#deps.registry.sendingKey(workspaceId);
    return sendingKey === undefined ? undefined : { workspace, settings, sendingKey };
  }

  /** Starts an attempt for each lease; returns when all have started. */
  async #sendAll(leases: readonly LeasedAction[], leasedAtMs: number): Promise<void> {
    for (const lease of leases) this.#places.take(lease);
    const byWorkspace = Map.groupBy(leases, ({ workspaceId }) => workspaceId);
    await Promise.all([...byWorkspace].map(([id, group]) => this.#sendOf(id, group, leasedAtMs)));
  }

  async #sendOf(workspaceId: string, leases: readonly LeasedAction[], leasedAtMs: number): Promise<void> {
    const sender = this.#senderOf(workspaceId);
    const keys = sender === undefined ? undefined : await this.#keysOf(sender.workspace, leases);
    const isStale = this.#deps.clock.nowMs() - leasedAtMs > leaseAgeMsMax;
    if (sender === undefined || keys === undefined || isStale || this.#stopped) {
      await this.#unsent(leases);
      return;
    }
    for (const lease of leases) {
      const key = keyAmong(keys, sender.workspace, lease.subject);
      const attempt = this.#attempt(lease, sender, key).finally(() => this.#underWay.delete(attempt));
      this.#underWay.add(attempt);
    }
  }

  async #keysOf(
    workspace: Workspace,
    leases: readonly LeasedAction[],
  ): Promise<ReadonlyMap<string, Buffer> | undefined> {
    try {
      return await this.#deps.subjects.bySubject(workspace, subjectsIn(leases));
    } catch (error) {
      // A failed query does not mean that the client was erased.
      this.#deps.logger.error({ err: error, workspace: workspace.id }, 'could not read client keys; will retry');
      return undefined;
    }
  }

  async #attempt(lease: LeasedAction, sender: Sender, key: Uint8Array | undefined): Promise<void> {
    try {
      const completion = await this.#deliver(lease, sender, key);
      await this.#recorder.record(completion);
      this.#reach.note(lease.workspaceId, completion.attempt);
    } finally {
      this.#places.giveBack(lease);
      this.wake(lease.workspaceId);
    }
  }

  async #deliver(lease: LeasedAction, sender: Sender, key: Uint8Array | undefined): Promise<Completion> {
    try {
      return await deliverAction(this.#deps, { lease, sender, key, stop: this.#abort.signal });
    } catch (error) {
      // A defect of ours with one action must not block the bank's other actions, on every start again: the action is
      // marked dead, for a person to examine and send again.
      this.#deps.logger.error({ err: error, action: lease.id }, 'an action could not be sent');
      return { id: lease.id, token: lease.token, attempt: undefined, health: undefined, next: { state: 'dead' } };
    }
  }

  async #unsent(leases: readonly LeasedAction[]): Promise<void> {
    for (const lease of leases) this.#places.giveBack(lease);
    const { outbox, clock } = this.#deps;
    const dueAtMs = clock.nowMs() + (this.#stopped ? 0 : databaseRetryMs);
    await outbox.giveBack(leases, dueAtMs).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error }, 'could not return leases; they will expire');
    });
  }
}
