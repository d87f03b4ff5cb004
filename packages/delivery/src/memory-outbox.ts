import { assert } from '@ringfence/contract';
import {
  type ActionState,
  executedLateFrom,
  finished,
  moves,
  type Redeliverable,
  redeliveredByDefault,
} from './action-state.ts';
import type { LeasedAction, NewAction, StoredAction } from './action.ts';
import { afterAttempt, type Breaker, closedBreaker, probeIsDue, withProbeTaken } from './breaker.ts';
import {
  type ActionFilter,
  changeMax,
  type Deliveries,
  listedMax,
  type NumberedAttempt,
  type Pause,
  type PauseScope,
  scopeText,
  type Selection,
} from './deliveries.ts';
import { type MemoryRow, matches, newRow, outcomeOf, selected, storedOf } from './memory-row.ts';
import {
  batchMax,
  type BreakerChange,
  type Completed,
  type Completion,
  type EndingReadiness,
  type EndpointTarget,
  leaseMs,
  type LeasePlaces,
  type Outbox,
  outcomeClaimMs,
  type PendingOutcome,
  type TidyResult,
} from './outbox.ts';
import { outcomeResultOf } from './outcome-result.ts';
import { isUrgent } from './urgent.ts';

/** The outbox in memory, for tests: one thread, no crashes. Every call scans all rows. */
export class MemoryOutbox implements Outbox, Deliveries {
  readonly #rows = new Map<string, MemoryRow>();
  readonly #breakers = new Map<string, Breaker>();
  readonly #targets = new Map<string, string>();
  readonly #pauses = new Map<string, Pause>();
  readonly #listeners = new Set<(workspaceId: string) => void>();
  #sequence = 0;

  async insert(actions: readonly NewAction[]): Promise<void> {
    for (const action of actions) {
      const known = this.#rows.get(action.id);
      const same = known === undefined || Buffer.compare(known.contentHash, action.contentHash) === 0;
      assert(same, `action ${action.id} exists with different content`);
    }
    const due = new Set<string>();
    for (const action of actions) {
      if (this.#rows.has(action.id)) continue;
      const row = newRow(action, ++this.#sequence);
      if (row.state === 'due' && this.#isBehind(row)) row.state = 'waiting';
      this.#rows.set(row.id, row);
      if (row.state === 'due') due.add(row.workspaceId);
    }
    this.#wake(due);
  }

  #isBehind(row: MemoryRow): boolean {
    if (isUrgent(row.action) || row.session === undefined) return false;
    return this.#find((other) => other.session === row.session && isBeforeFirstAttempt(other)).length > 0;
  }

  async lease(places: readonly LeasePlaces[], nowMs: number): Promise<readonly LeasedAction[]> {
    const picked = places.flatMap(({ workspaceId, urgent, ordinary }) => {
      if (this.#breaker(workspaceId).state !== 'closed' || this.#isPaused(workspaceId)) return [];
      const due = this.#due(workspaceId, nowMs);
      return [
        ...due.filter(({ action }) => isUrgent(action)).slice(0, urgent),
        ...due.filter(({ action }) => !isUrgent(action)).slice(0, ordinary),
      ];
    });
    return inOrder(picked).map((row) => leased(row, false, nowMs));
  }

  async leaseProbes(workspaceIds: readonly string[], nowMs: number): Promise<readonly LeasedAction[]> {
    const picked = workspaceIds.flatMap((workspaceId) => {
      const breaker = this.#breaker(workspaceId);
      if (!probeIsDue(breaker, nowMs) || this.#isPaused(workspaceId)) return [];
      const due = this.#due(workspaceId, nowMs);
      const row = due.find(({ action }) => isUrgent(action)) ?? due[0];
      if (row === undefined) return [];
      this.#breakers.set(workspaceId, withProbeTaken(breaker, nowMs));
      return [row];
    });
    return inOrder(picked).map((row) => leased(row, true, nowMs));
  }

  /** The longest due first. A leased action is due again when its lease ends. */
  #due(workspaceId: string, nowMs: number): MemoryRow[] {
    const due = this.#find(
      (row) =>
        row.workspaceId === workspaceId &&
        (row.state === 'due' || row.state === 'leased') &&
        row.dueAtMs <= nowMs &&
        row.expiresAtMs > nowMs,
    );
    return due.sort((a, b) => a.dueAtMs - b.dueAtMs || a.sequence - b.sequence);
  }

  async complete(completions: readonly Completion[], nowMs: number): Promise<Completed> {
    const accepted: Completion[] = [];
    const outcomes: PendingOutcome[] = [];
    const before = new Map(this.#breakers);
    const record = (row: MemoryRow, completion: Completion): void => {
      accepted.push(completion);
      complete(row, completion, nowMs);
      if (outcomeResultOf(row.state) !== undefined) outcomes.push(outcomeOf(row));
    };
    const lost: Completion[] = [];
    for (const completion of completions) {
      const row = this.#heldLease(completion);
      if (row === undefined) {
        lost.push(completion);
        continue;
      }
      record(row, completion);
      if (completion.health !== undefined) {
        this.#breakers.set(row.workspaceId, afterAttempt(this.#breaker(row.workspaceId), completion.health));
      }
    }
    for (const completion of lost) {
      const row = this.#executedLate(completion);
      if (row !== undefined) record(row, completion);
    }
    this.#advance();
    return { accepted, outcomes, breakers: this.#breakerChanges(before) };
  }

  async readiness(holdId: string, nowMs: number): Promise<EndingReadiness> {
    const hold = this.#rows.get(holdId);
    if (hold === undefined) return 'send';
    const { state } = hold;
    const isUnasked = hold.attempts === 0 && !hold.answered;
    if (isUnasked && (state === 'waiting' || state === 'due' || state === 'held')) {
      move(hold, 'dropped');
      hold.finishedAtMs = nowMs;
    }
    if (state === 'notExecuted' || state === 'dropped' || state === 'observed' || state === 'notAddressable')
      return 'unneeded';
    if (isUnasked && state !== 'leased') return 'unneeded';
    return state === 'waiting' || state === 'due' || state === 'leased' || state === 'held' ? 'wait' : 'send';
  }

  async noteAnswered(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (row !== undefined) row.answered = true;
    }
  }

  #executedLate({ id, next }: Completion): MemoryRow | undefined {
    const row = next.state === 'executed' ? this.#rows.get(id) : undefined;
    return row !== undefined && (executedLateFrom as readonly ActionState[]).includes(row.state) ? row : undefined;
  }

  #heldLease({ id, token }: Pick<LeasedAction, 'id' | 'token'>): MemoryRow | undefined {
    const row = this.#rows.get(id);
    return row !== undefined && row.token === token && row.state === 'leased' ? row : undefined;
  }

  #breakerChanges(before: ReadonlyMap<string, Breaker>): readonly BreakerChange[] {
    return [...this.#breakers]
      .map(([workspaceId, after]) => ({ workspaceId, before: before.get(workspaceId) ?? closedBreaker, after }))
      .filter((change) => change.before.state !== change.after.state);
  }

  async giveBack(leases: readonly Pick<LeasedAction, 'id' | 'token'>[], dueAtMs: number): Promise<void> {
    for (const row of leases.flatMap((lease) => this.#heldLease(lease) ?? [])) {
      move(row, 'due');
      row.dueAtMs = dueAtMs;
    }
  }

  async tidy(nowMs: number): Promise<TidyResult> {
    const late = this.#find(
      (row) =>
        row.expiresAtMs <= nowMs &&
        (row.state === 'waiting' || row.state === 'due' || (row.state === 'leased' && row.dueAtMs <= nowMs)),
    ).slice(0, batchMax);
    for (const row of late) finish(row, 'expired', nowMs);
    this.#advance();
    return { expired: late.length, outcomes: late.map(outcomeOf) };
  }

  /** Makes the next waiting action of every session due. */
  #advance(): void {
    const heads = new Map<string, MemoryRow>();
    for (const row of this.#find(({ state }) => state === 'waiting')) {
      if (row.session !== undefined && !heads.has(row.session)) heads.set(row.session, row);
    }
    for (const row of heads.values()) {
      const pending = this.#find((other) => other.session === row.session && isBeforeFirstAttempt(other));
      if (pending.some(({ state }) => state !== 'waiting')) continue;
      move(row, 'due');
    }
  }

  async claimOutcomes(nowMs: number): Promise<readonly PendingOutcome[]> {
    const rows = this.#find((row) => row.outcome !== undefined && row.outcome.claimedUntilMs <= nowMs);
    return rows.slice(0, batchMax).map((row) => {
      if (row.outcome !== undefined) row.outcome.claimedUntilMs = nowMs + outcomeClaimMs;
      return outcomeOf(row);
    });
  }

  async outcomesAppended(outcomes: readonly PendingOutcome[]): Promise<void> {
    for (const { id, result } of outcomes) {
      const row = this.#rows.get(id);
      if (row?.outcome?.result === result) row.outcome = undefined;
    }
  }

  async removeFinished(of: Parameters<Outbox['removeFinished']>[0]): Promise<number> {
    const { workspaceId, beforeMs, limit } = of;
    const endedAtMs = ({ finishedAtMs, core }: MemoryRow): number => finishedAtMs ?? core.decidedAtMs;
    const old = this.#find(
      (row) =>
        row.workspaceId === workspaceId &&
        (finished as readonly ActionState[]).includes(row.state) &&
        row.outcome === undefined &&
        endedAtMs(row) < beforeMs,
    )
      .toSorted((a, b) => endedAtMs(a) - endedAtMs(b))
      .slice(0, limit);
    for (const { id } of old) this.#rows.delete(id);
    return old.length;
  }

  async setTargets(targets: readonly EndpointTarget[]): Promise<void> {
    for (const { workspaceId, target } of targets) {
      if (this.#targets.get(workspaceId) !== target) this.#breakers.delete(workspaceId);
      this.#targets.set(workspaceId, target);
    }
  }

  onDue(listener: (workspaceId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #wake(workspaceIds: ReadonlySet<string>): void {
    for (const workspaceId of workspaceIds) for (const listener of this.#listeners) listener(workspaceId);
  }

  async queued(): Promise<ReadonlyMap<ActionState, number>> {
    const counts = new Map<ActionState, number>();
    const queue: ReadonlySet<ActionState> = new Set(['waiting', 'due', 'leased', 'held']);
    for (const { state } of this.#find((row) => queue.has(row.state))) counts.set(state, (counts.get(state) ?? 0) + 1);
    return counts;
  }

  async find(workspaceId: string, id: string): Promise<StoredAction | undefined> {
    const row = this.#rows.get(id);
    return row?.workspaceId === workspaceId ? storedOf(row) : undefined;
  }

  async list(filter: ActionFilter, limit: number, before = Infinity): Promise<readonly StoredAction[]> {
    const found = this.#find((row) => row.sequence < before && matches(row, filter)).reverse();
    return found.slice(0, Math.min(limit, listedMax)).map(storedOf);
  }

  async attempts(workspaceId: string, id: string): Promise<readonly NumberedAttempt[]> {
    const row = this.#rows.get(id);
    return row?.workspaceId === workspaceId ? row.history.map((attempt, i) => ({ ...attempt, number: i + 1 })) : [];
  }

  async redeliver(
    selection: Selection,
    nowMs: number,
    states: readonly Redeliverable[] = redeliveredByDefault,
  ): Promise<number> {
    const named = !('filter' in selection);
    const hurried = named ? this.#find((row) => row.state === 'due' && selected(row, selection)) : [];
    for (const row of hurried) row.dueAtMs = Math.min(row.dueAtMs, nowMs);
    this.#wake(new Set(hurried.map(({ workspaceId }) => workspaceId)));
    return hurried.length + this.#sendAgain(selection, states, nowMs);
  }

  async release(selection: Selection, nowMs: number): Promise<number> {
    return this.#sendAgain(selection, ['held'], nowMs);
  }

  #sendAgain(selection: Selection, from: readonly ActionState[], nowMs: number): number {
    const rows = this.#find((row) => from.includes(row.state) && selected(row, selection)).slice(0, changeMax);
    for (const row of rows) {
      move(row, 'due');
      row.dueAtMs = nowMs;
      row.expiresAtMs = nowMs + row.lifetimeMs;
      row.round = 0;
      row.finishedAtMs = undefined;
    }
    this.#wake(new Set(rows.map(({ workspaceId }) => workspaceId)));
    return rows.length;
  }

  async drop(selection: Selection, nowMs: number): Promise<number> {
    const rows = this.#find((row) => row.state === 'held' && selected(row, selection)).slice(0, changeMax);
    for (const row of rows) finish(row, 'dropped', nowMs);
    return rows.length;
  }

  async pause(scope: PauseScope, nowMs: number): Promise<void> {
    const key = scopeText(scope);
    if (!this.#pauses.has(key)) this.#pauses.set(key, { scope, sinceMs: nowMs });
  }

  async resume(scope: PauseScope): Promise<void> {
    this.#pauses.delete(scopeText(scope));
  }

  async pauses(): Promise<readonly Pause[]> {
    const pauses = [...this.#pauses].toSorted(
      ([one, a], [other, b]) => a.sinceMs - b.sinceMs || (one < other ? -1 : 1),
    );
    return pauses.map(([, pause]) => pause);
  }

  #isPaused(workspaceId: string): boolean {
    return this.#pauses.has('*') || this.#pauses.has(workspaceId);
  }

  async endpoint(workspaceId: string): Promise<Breaker> {
    return this.#breaker(workspaceId);
  }

  async enableEndpoint(workspaceId: string): Promise<void> {
    this.#breakers.delete(workspaceId);
  }

  #breaker(workspaceId: string): Breaker {
    return this.#breakers.get(workspaceId) ?? closedBreaker;
  }

  /** In the order of insertion. */
  #find(holds: (row: MemoryRow) => boolean): MemoryRow[] {
    return [...this.#rows.values()].filter(holds);
  }
}

function isBeforeFirstAttempt({ state, attempts }: MemoryRow): boolean {
  return state === 'waiting' || (attempts === 0 && (state === 'due' || state === 'leased'));
}

/** Urgent ones first, then in the order of insertion. */
function inOrder(rows: readonly MemoryRow[]): readonly MemoryRow[] {
  const urgency = (row: MemoryRow): number => Number(isUrgent(row.action));
  return rows.toSorted((a, b) => urgency(b) - urgency(a) || a.sequence - b.sequence);
}

function leased(row: MemoryRow, probe: boolean, nowMs: number): LeasedAction {
  move(row, 'leased');
  row.token += 1;
  row.dueAtMs = nowMs + leaseMs;
  const { attempts, round, token, expiresAtMs, history } = row;
  const ofRound = history.slice(attempts - round);
  const roundNotExecuted = ofRound.filter(({ result }) => result === 'notExecuted').length;
  return { ...row.core, expiresAtMs, attempts, round, roundNotExecuted, token, probe };
}

function complete(row: MemoryRow, completion: Completion, nowMs: number): void {
  if (completion.attempt !== undefined) {
    row.history.push(completion.attempt);
    row.attempts += 1;
    row.round += 1;
  }
  if (completion.next.state === 'due') {
    move(row, 'due');
    row.dueAtMs = completion.next.dueAtMs;
  } else {
    finish(row, completion.next.state, nowMs);
  }
}

function finish(row: MemoryRow, state: ActionState, nowMs: number): void {
  move(row, state);
  row.dueAtMs = nowMs;
  row.finishedAtMs = nowMs;
  const result = outcomeResultOf(state);
  if (result !== undefined) row.outcome = { result, claimedUntilMs: nowMs + outcomeClaimMs };
}

/** The only place where a state changes; allows legal moves only. */
function move(row: MemoryRow, to: ActionState): void {
  assert(moves[row.state].includes(to), `an action cannot move from ${row.state} to ${to}`);
  row.state = to;
}
