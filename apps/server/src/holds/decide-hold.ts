/**
 * What people decide about held payments. A decision can be undone for some seconds, and may need a second person:
 *
 *     undoable --(30 s)--> sent
 *        |  \--(30 s, needs a second person)--> second --(another person confirms)--> sent
 *        |                                        |  \--(another person refuses)--> refused
 *        \--(its author)--> undone <--------------/
 *
 * Until it is sent, the engine has a proposal, which prevents that the payment is released by itself. `sent`: the
 * engine resolves the hold. Whatever else ends the hold earlier makes a pending decision `refused`. Every change locks
 * the row of the hold first.
 */
import { homeOf } from '../platform/database/cell.ts';
import { parseDecimal, Problem, secondMs } from '@ringfence/contract';
import type { HoldChange } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { responsibleFor } from '../access/tokens/api-tokens.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import { seal } from '../platform/secrets/seal.ts';
import { storeDirectives } from '../policies/directives/directives.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import { syncSettings } from '../tenancy/workspaces/settings-sync.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { notifyHolds } from './hold-channel.ts';
import { commentPlace, type HoldDecision, type StoredHold } from './stored-holds.ts';

/** How long a decision can be undone: as long as a person needs to see a mistake. */
const undoMs = 30 * secondMs;
/** Decisions that one transaction of the due job sends, to keep it short. */
const sentTogether = 100;

type HoldDeps = Omit<WorkspaceDeps, 'allowPrivateWebhooks'> & { readonly subjects: Pick<SubjectKeys, 'bySubject'> };

/** Who acts, and when. */
interface Actor {
  readonly author: string;
  readonly nowMs: number;
}

export interface WantedDecision extends Actor {
  readonly decision: HoldDecision;
  readonly comment: string | undefined;
}

/** The result for one hold. */
export type Decided =
  | { readonly id: string; readonly undoUntilMs: number; readonly needsSecond: boolean }
  | { readonly id: string; readonly refusal: Problem };

/**
 * Decides about holds. Each is decided or refused by itself; releasing needs a second person if the sum of all of them
 * does. The engine learns the proposals when this resolves.
 */
export async function decideHolds(
  deps: HoldDeps,
  workspace: Workspace,
  wanted: WantedDecision & { readonly ids: readonly string[] },
): Promise<readonly Decided[]> {
  const ids = [...new Set(wanted.ids)];
  const open = await readOpen(deps.pool, workspace.id, ids);
  const keys = await deps.subjects.bySubject(workspace, [...new Set(open.map(({ subject }) => subject))]);
  const needsSecond = wanted.decision === 'release' ? secondNeeded(workspace, open) : () => false;
  const decided: Decided[] = [];
  // One transaction each, so that none waits for the lock of one hold while it has that of another.
  for (const id of ids) {
    decided.push(
      await inTransaction(deps.pool, (client) => decide(client, workspace, { id, wanted, keys, needsSecond })),
    );
  }
  if (decided.some((one) => !('refusal' in one))) await syncSettings(deps, workspace.id);
  return decided;
}

interface Deciding {
  readonly id: string;
  readonly wanted: WantedDecision;
  readonly keys: ReadonlyMap<string, Buffer>;
  readonly needsSecond: (hold: LockedHold) => boolean;
}

async function decide(client: ClientBase, workspace: Workspace, of: Deciding): Promise<Decided> {
  const { id, wanted, keys, needsSecond: isSecondNeeded } = of;
  const hold = await lockHold(client, workspace.id, id);
  if (hold === undefined) return { id, refusal: unknownHold(id) };
  const refused = refusal(hold, await pendingDecision(client, id));
  if (refused !== undefined) return { id, refusal: refused };
  const key = keys.get(hold.subject);
  if (key === undefined) return { id, refusal: erasedClient() };
  const [needsSecond, undoUntilMs] = [isSecondNeeded(hold), wanted.nowMs + undoMs];
  await insertDecision(client, workspace, { hold, key, wanted, undoUntilMs, needsSecond });
  await tell(client, workspace, { hold, change: 'propose', author: wanted.author });
  return { id, undoUntilMs, needsSecond };
}

/** The same for one hold. @throws Problem `thing.unknown`, `state.conflict`, `log.unavailable` */
export async function decideHold(
  deps: HoldDeps,
  workspace: Workspace,
  { id, ...wanted }: WantedDecision & { readonly id: string },
): Promise<Exclude<Decided, { refusal: Problem }>> {
  const [decided] = await decideHolds(deps, workspace, { ...wanted, ids: [id] });
  if ('refusal' in decided!) throw decided.refusal;
  return decided!;
}

/**
 * Takes a decision back that was not sent yet.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` if there is none, or it is another person's
 */
export async function undoDecision(
  deps: HoldDeps,
  workspace: Workspace,
  { id, author, nowMs }: Actor & { readonly id: string },
): Promise<void> {
  await inTransaction(deps.pool, async (client) => {
    const { hold, decision } = await pendingOf(client, workspace.id, id);
    if (decision.author !== author)
      throw new Problem('state.conflict', `${decision.author} decided this. Only its author can undo it.`);
    if (decision.state === 'undoable' && decision.undo_until.getTime() <= nowMs) throw tooLate();
    await client.query(`update hold_decision set state = 'undone' where workspace_id = $1 and id = $2`, [
      workspace.id,
      decision.id,
    ]);
    await tell(client, workspace, { hold, change: 'withdraw', author });
  });
  await syncSettings(deps, workspace.id);
}

/**
 * The answer of the second person.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` if no decision waits for one, or it is the caller's own
 */
export async function answerAsSecond(
  deps: HoldDeps,
  workspace: Workspace,
  { id, answer, author, nowMs }: Actor & { readonly id: string; readonly answer: 'confirm' | 'refuse' },
): Promise<void> {
  await inTransaction(deps.pool, async (client) => {
    const { hold, decision } = await pendingOf(client, workspace.id, id);
    const { author: first, undo_until: undoUntil } = decision;
    if (decision.state === 'undoable') {
      const until = undoUntil.toISOString();
      const detail = decision.needs_second
        ? `${first} can undo this decision until ${until}; it waits for a second person after that.`
        : `This decision of ${first} needs no second person.`;
      throw new Problem('state.conflict', detail);
    }
    await requireOther(homeOf(deps), { first, author });
    const isConfirmed = answer === 'confirm';
    await client.query(
      `update hold_decision set state = $3, second = $4, second_at = $5 where workspace_id = $1 and id = $2`,
      [workspace.id, decision.id, isConfirmed ? 'sent' : 'refused', author, new Date(nowMs)],
    );
    const change = isConfirmed ? decision.decision : 'withdraw';
    await tell(client, workspace, { hold, change, author: isConfirmed ? first : author });
  });
  await syncSettings(deps, workspace.id);
}

/** @throws Problem `state.conflict` if `author` decided first, by log-in or with a token */
async function requireOther(
  home: Pool,
  { first, author }: { readonly first: string; readonly author: string },
): Promise<void> {
  if (first === author) throw new Problem('state.conflict', 'The second person must be another one than the first.');
  if ((await responsibleFor(home, first)) !== author) return;
  throw new Problem(
    'state.conflict',
    `${first} decided first, and you created that token. The second person must be another one.`,
  );
}

/**
 * Sends decisions that can no longer be undone, or lets them wait for their second person. Several processes may call
 * it at the same time.
 *
 * @returns the number of decisions that changed
 */
export async function sendDueDecisions(
  deps: Omit<HoldDeps, 'subjects'>,
  workspaceOf: (id: string) => Workspace | undefined,
  nowMs: number,
): Promise<number> {
  const changed = await inTransaction(deps.pool, async (client) => {
    const due = await client.query<DueDecision>(
      `select d.workspace_id, d.id as decision_id, d.decision, d.author, d.needs_second, ${lockedColumns}
         from hold_decision d join hold h on h.id = d.hold_id
        where d.state = 'undoable' and d.undo_until <= $1 order by d.id limit ${sentTogether}
          for update of d, h skip locked`,
      [new Date(nowMs)],
    );
    const touched: string[] = [];
    for (const row of due.rows) {
      const workspace = workspaceOf(row.workspace_id);
      if (workspace === undefined) continue;
      await sendDue(client, workspace, row);
      touched.push(workspace.id);
    }
    return touched;
  });
  for (const id of new Set(changed)) await syncSettings(deps, id);
  return changed.length;
}

/** `id`: of the hold. */
type DueDecision = LockedHold &
  Omit<PendingDecision, 'id' | 'state' | 'undo_until'> & {
    readonly workspace_id: string;
    readonly decision_id: number;
  };

async function sendDue(client: ClientBase, workspace: Workspace, row: DueDecision): Promise<void> {
  const { decision, author, decision_id: id } = row;
  // Repeats that joined meanwhile are released as well.
  const needsSecond = row.needs_second || (decision === 'release' && secondNeeded(workspace, [row])(row));
  const state = row.state === 'open' ? (needsSecond ? 'second' : 'sent') : 'refused';
  await client.query(`update hold_decision set state = $3, needs_second = $4 where workspace_id = $1 and id = $2`, [
    workspace.id,
    id,
    state,
    needsSecond,
  ]);
  if (state === 'sent') await tell(client, workspace, { hold: row, change: decision, author });
  else await notifyHolds(client, workspace.id);
}

interface LockedHold {
  readonly id: string;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly subject: string;
  readonly state: StoredHold['state'];
  readonly amount: string | null;
  readonly currency: string | null;
  /** Operations that a resolution concerns. */
  readonly members: number;
}

interface EndedHold {
  readonly resolved_at: Date | null;
  readonly resolved_by: StoredHold['resolvedBy'] | null;
  readonly author: string | null;
}

const openMembers = `(select count(*)::integer from hold_member m where m.hold_id = h.id and m.resolution is null) as members`;

const lockedColumns = `h.id, h."offset", h.reason, h.position, h.subject, h.state, h.amount, h.currency, ${openMembers}`;

/** The open ones of these holds, unlocked: what a bulk decision is about. */
async function readOpen(pool: Pool, workspaceId: string, ids: readonly string[]): Promise<readonly LockedHold[]> {
  const found = await pool.query<LockedHold>(
    `select ${lockedColumns} from hold h where h.workspace_id = $1 and h.id = any($2) and h.state = 'open'`,
    [workspaceId, ids],
  );
  return found.rows;
}

async function lockHold(
  client: ClientBase,
  workspaceId: string,
  id: string,
): Promise<(LockedHold & EndedHold) | undefined> {
  const found = await client.query<LockedHold & EndedHold>(
    `select ${lockedColumns}, h.resolved_at, h.resolved_by, h.author from hold h
      where h.workspace_id = $1 and h.id = $2 for update`,
    [workspaceId, id],
  );
  return found.rows[0];
}

interface PendingDecision {
  readonly id: number;
  readonly decision: HoldDecision;
  readonly author: string;
  readonly state: 'undoable' | 'second' | 'sent';
  readonly undo_until: Date;
  readonly needs_second: boolean;
}

/** The decision about a hold that was not taken back; there is one at most. */
async function pendingDecision(client: ClientBase, id: string): Promise<PendingDecision | undefined> {
  const found = await client.query<PendingDecision>(
    `select id, decision, author, state, undo_until, needs_second from hold_decision
      where hold_id = $1 and state in ('undoable', 'second', 'sent') order by id desc limit 1`,
    [id],
  );
  return found.rows[0];
}

/** The decision about an open hold that was not sent yet, with the hold locked. */
async function pendingOf(
  client: ClientBase,
  workspaceId: string,
  id: string,
): Promise<{ readonly hold: LockedHold; readonly decision: PendingDecision }> {
  const hold = await lockHold(client, workspaceId, id);
  if (hold === undefined) throw unknownHold(id);
  if (hold.state !== 'open') throw ended(hold);
  const decision = await pendingDecision(client, id);
  if (decision === undefined) throw new Problem('state.conflict', 'There is no decision about this payment.');
  if (decision.state === 'sent') throw tooLate();
  return { hold, decision };
}

function refusal(hold: LockedHold & EndedHold, pending: PendingDecision | undefined): Problem | undefined {
  if (hold.state !== 'open') return ended(hold);
  if (pending === undefined) return undefined;
  const { author, decision, state } = pending;
  const then = state === 'second' ? ' It waits for a second person.' : '';
  return new Problem(
    'state.conflict',
    `${author} has decided to ${decision} this payment. The first decision counts.${then}`,
  );
}

function ended({ state, resolved_at: at, resolved_by: by, author }: LockedHold & Partial<EndedHold>): Problem {
  const how = by === null || by === undefined ? '' : ` ${endedBy[by](author ?? 'a person')}`;
  const when = at === null || at === undefined ? '' : ` at ${at.toISOString()}`;
  return new Problem('state.conflict', `The payment is no longer held: it was ${state}${how}${when}.`);
}

const endedBy: Readonly<Record<NonNullable<StoredHold['resolvedBy']>, (author: string) => string>> = {
  person: (author) => `by ${author}`,
  deadline: () => 'at its deadline',
  bank: () => 'by the bank itself',
  age: () => 'because 30 days had passed',
  erased: () => 'because its client was erased',
  dropped: () => 'because its capped action was dropped',
  crowded: () => 'because too many payments were held',
};

function unknownHold(id: string): Problem {
  return new Problem('thing.unknown', `There is no held payment ${id}.`);
}

function erasedClient(): Problem {
  return new Problem('state.conflict', 'The client of this payment was erased: nothing more can be decided about it.');
}

function tooLate(): Problem {
  return new Problem('state.conflict', 'The decision was sent: there is no correction after that.');
}

/**
 * Whether releasing these payments needs a second person: where their sum, repeats included, is above the amount that
 * the workspace sets for their currency.
 */
function secondNeeded({ settings }: Workspace, holds: readonly LockedHold[]): (hold: LockedHold) => boolean {
  const sums = new Map<string, bigint>();
  for (const { amount, currency, members } of holds) {
    if (amount === null || currency === null) continue;
    sums.set(currency, (sums.get(currency) ?? 0n) + unitsOf(amount) * BigInt(members));
  }
  return ({ amount, currency }) => {
    const above = currency === null ? undefined : settings.holds?.secondAbove?.[currency];
    if (amount === null || currency === null || above === undefined) return true;
    const sum = sums.get(currency);
    return sum === undefined || sum > unitsOf(String(above));
  };
}

function unitsOf(amount: string): bigint {
  return parseDecimal(amount)!;
}

async function insertDecision(
  client: ClientBase,
  workspace: Workspace,
  of: {
    readonly hold: LockedHold;
    readonly key: Buffer;
    readonly wanted: WantedDecision;
    readonly undoUntilMs: number;
    readonly needsSecond: boolean;
  },
): Promise<void> {
  const { hold, key, wanted, undoUntilMs, needsSecond } = of;
  const { decision, author, comment, nowMs } = wanted;
  const place = commentPlace(workspace.id, hold, { author, madeAtMs: nowMs });
  const sealed = comment && seal(key, Buffer.from(comment), place);
  await client.query(
    `insert into hold_decision (workspace_id, hold_id, decision, author, comment, made_at, undo_until, state, needs_second)
     values ($1, $2, $3, $4, $5, $6, $7, 'undoable', $8)`,
    [workspace.id, hold.id, decision, author, sealed ?? null, new Date(nowMs), new Date(undoUntilMs), needsSecond],
  );
}

/** Tells the engine, by a record of the log, and open pages. */
async function tell(
  client: ClientBase,
  workspace: Workspace,
  of: { readonly hold: LockedHold; readonly change: HoldChange['change']; readonly author: string },
): Promise<void> {
  const { hold, change, author } = of;
  const { offset, reason, position, subject } = hold;
  const told = { hold: { offset, reason, position }, change, author };
  await storeDirectives(client, workspace, { directives: [{ kind: 'hold', subject, told }], author, comment: '' });
  await notifyHolds(client, workspace.id);
}
