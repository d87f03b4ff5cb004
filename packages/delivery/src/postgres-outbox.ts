import { assert } from '@ringfence/contract';
import type { Pool } from 'pg';
import { type ActionState, type Redeliverable, redeliveredByDefault } from './action-state.ts';
import type { LeasedAction, NewAction, StoredAction } from './action.ts';
import type { Breaker } from './breaker.ts';
import {
  type ActionFilter,
  type Deliveries,
  type NumberedAttempt,
  type Pause,
  type PauseScope,
  scopeText,
  type Selection,
} from './deliveries.ts';
import type {
  Completed,
  Completion,
  EndingReadiness,
  EndpointTarget,
  LeasePlaces,
  Outbox,
  PendingOutcome,
  TidyResult,
} from './outbox.ts';
import { sweepSessions } from './postgres/advance-sessions.ts';
import { closedColumns, readBreaker } from './postgres/breaker-row.ts';
import { dropActions, redeliverActions, releaseActions } from './postgres/change-actions.ts';
import { completeActions } from './postgres/complete-actions.ts';
import { endingReadiness, noteAnswered } from './postgres/end-holds.ts';
import { dueChannel, insertActions } from './postgres/insert-actions.ts';
import { leaseActions, leaseProbes } from './postgres/lease-actions.ts';
import { findAction, listActions, readAttempts } from './postgres/read-actions.ts';
import { claimOutcomes, expireActions, outcomesAppended, removeFinished } from './postgres/tidy-actions.ts';
import { inTransaction } from './postgres/transaction.ts';
import type { SessionKey } from './session-key.ts';

/** Receives PostgreSQL notifications. */
export interface DueNotices {
  hear(channel: string, hearing: { readonly told: (payload: string) => void }): () => void;
}

/** The outbox in PostgreSQL, on the tables of `deliverySchema`. */
export class PostgresOutbox implements Outbox, Deliveries {
  readonly #pool: Pool;
  readonly #notices: DueNotices | undefined;
  /** Where the last sweep for waiting actions stopped, if more sessions follow. */
  #sweptTo: SessionKey | undefined;

  /** @param notices for `onDue`; optional when the caller never listens */
  constructor(pool: Pool, notices?: DueNotices) {
    this.#pool = pool;
    this.#notices = notices;
  }

  async insert(actions: readonly NewAction[]): Promise<void> {
    await inTransaction(this.#pool, (client) => insertActions(client, actions));
  }

  lease(places: readonly LeasePlaces[], nowMs: number): Promise<readonly LeasedAction[]> {
    return leaseActions(this.#pool, places, nowMs);
  }

  leaseProbes(workspaceIds: readonly string[], nowMs: number): Promise<readonly LeasedAction[]> {
    return leaseProbes(this.#pool, workspaceIds, nowMs);
  }

  complete(completions: readonly Completion[], nowMs: number): Promise<Completed> {
    return completeActions(this.#pool, completions, nowMs);
  }

  async giveBack(leases: readonly Pick<LeasedAction, 'id' | 'token'>[], dueAtMs: number): Promise<void> {
    if (leases.length === 0) return;
    await this.#pool.query({
      name: 'action_give_back',
      text: `update action a set state = 'due', due_at = to_timestamp($3::float8 / 1000.0)
               from unnest($1::text[], $2::bigint[]) as l (id, token)
              where a.id = l.id and a.token = l.token and a.state = 'leased'`,
      values: [leases.map(({ id }) => id), leases.map(({ token }) => token), dueAtMs],
    });
  }

  readiness(holdId: string, nowMs: number): Promise<EndingReadiness> {
    return endingReadiness(this.#pool, holdId, nowMs);
  }

  noteAnswered(ids: readonly string[]): Promise<void> {
    return noteAnswered(this.#pool, ids);
  }

  async tidy(nowMs: number): Promise<TidyResult> {
    const tidied = await expireActions(this.#pool, nowMs);
    this.#sweptTo = await sweepSessions(this.#pool, this.#sweptTo);
    return tidied;
  }

  claimOutcomes(nowMs: number): Promise<readonly PendingOutcome[]> {
    return claimOutcomes(this.#pool, nowMs);
  }

  outcomesAppended(outcomes: readonly PendingOutcome[]): Promise<void> {
    return outcomesAppended(this.#pool, outcomes);
  }

  removeFinished(of: Parameters<Outbox['removeFinished']>[0]): Promise<number> {
    return removeFinished(this.#pool, of);
  }

  async setTargets(targets: readonly EndpointTarget[]): Promise<void> {
    if (targets.length === 0) return;
    await this.#pool.query(
      // In the order of the names, which is the lock order everywhere, and only rows that change: a conflict locks its
      // row.
      `insert into endpoint as e (workspace_id, target)
       select t.workspace_id, t.target
         from unnest($1::text[], $2::text[]) as t (workspace_id, target)
         left join endpoint old on old.workspace_id = t.workspace_id
        where old.target is distinct from t.target
        order by t.workspace_id
       on conflict (workspace_id) do update set target = excluded.target, ${closedColumns}
        where e.target is distinct from excluded.target`,
      [targets.map(({ workspaceId }) => workspaceId), targets.map(({ target }) => target)],
    );
  }

  onDue(listener: (workspaceId: string) => void): () => void {
    assert(this.#notices !== undefined, 'the outbox listens for notifications');
    return this.#notices.hear(dueChannel, { told: listener });
  }

  async queued(): Promise<ReadonlyMap<ActionState, number>> {
    const { rows } = await this.#pool.query<{ state: ActionState; count: number }>(
      `select state, count(*)::integer as count from action where state in ('due', 'leased') group by state
       union all select 'waiting', count(*)::integer from action where state = 'waiting'
       union all select 'held', count(*)::integer from action where state = 'held'`,
    );
    return new Map(rows.filter(({ count }) => count > 0).map(({ state, count }) => [state, count]));
  }

  find(workspaceId: string, id: string): Promise<StoredAction | undefined> {
    return findAction(this.#pool, workspaceId, id);
  }

  list(filter: ActionFilter, limit: number, before?: number): Promise<readonly StoredAction[]> {
    return listActions(this.#pool, filter, { limit, before });
  }

  attempts(workspaceId: string, id: string): Promise<readonly NumberedAttempt[]> {
    return readAttempts(this.#pool, workspaceId, id);
  }

  redeliver(
    selection: Selection,
    nowMs: number,
    states: readonly Redeliverable[] = redeliveredByDefault,
  ): Promise<number> {
    return redeliverActions(this.#pool, { selection, states }, nowMs);
  }

  async release(selection: Selection, nowMs: number): Promise<number> {
    return (await releaseActions(this.#pool, { selection }, nowMs)).length;
  }

  async drop(selection: Selection, nowMs: number): Promise<number> {
    return (await dropActions(this.#pool, { selection }, nowMs)).length;
  }

  async pause(scope: PauseScope, nowMs: number): Promise<void> {
    await this.#pool.query(
      `insert into delivery_pause (scope, since) values ($1, to_timestamp($2::float8 / 1000.0)) on conflict do nothing`,
      [scopeText(scope), nowMs],
    );
  }

  async resume(scope: PauseScope): Promise<void> {
    await this.#pool.query(`delete from delivery_pause where scope = $1`, [scopeText(scope)]);
  }

  async pauses(): Promise<readonly Pause[]> {
    const { rows } = await this.#pool.query<{ scope: string; since: Date }>(
      `select scope, since from delivery_pause order by since, scope collate "C"`,
    );
    return rows.map(({ scope, since }) => ({
      scope: scope === '*' ? { kind: 'all' } : { kind: 'workspace', workspaceId: scope },
      sinceMs: since.getTime(),
    }));
  }

  endpoint(workspaceId: string): Promise<Breaker> {
    return readBreaker(this.#pool, workspaceId);
  }

  async enableEndpoint(workspaceId: string): Promise<void> {
    await this.#pool.query(`update endpoint set ${closedColumns} where workspace_id = $1`, [workspaceId]);
  }
}
