/**
 * How analysts work on alerts. An analyst claims an alert; while the claim lasts, no other analyst can.
 *
 *     open --claim/next--> claimed --release, 30 min without activity--> open
 *       \                    |  \--hand over--> claimed by another, for a day --taken back--> claimed by who gave it
 *        \---close-----------+--close (fraud, legitimate, inconclusive, suppressed)--> closed --correct--> closed, other outcome
 */
import type { Account } from '../../access/accounts/account.ts';
import { hourMs, minuteMs, Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { noteAssignment } from '../../notifications/sources.ts';
import { appendLive, type LiveEntry } from '../live/live-log.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Place } from '../../platform/secrets/seal.ts';
import { type AlertRow, readAlert, type Verdict } from './alert-rows.ts';

/** How long an analyst may look at an alert without activity. */
export const claimMs = 30 * minuteMs;

/** What an analyst says about a fraud. */
export interface FraudDetails {
  /** One of `fraudTypes`, or of the workspace's own. */
  readonly type?: string | undefined;
  /** Amounts in digits, in `currency`. */
  readonly loss?: string | undefined;
  readonly recovered?: string | undefined;
  readonly currency?: string | undefined;
}
/** A person to whom an alert is handed over may be on the next shift. Then it is in the queue again, so none is lost. */
export const handedMs = 24 * hourMs;

/** The acting analyst, and the time. */
export interface Analyst {
  /** `undefined` for a program: it claims nothing, and claims do not stop it. */
  readonly accountId: string | undefined;
  readonly name: string;
  readonly nowMs: number;
}

/**
 * Claims the first unclaimed alert of the queue. Two concurrent analysts get two alerts, and neither waits for the
 * other.
 *
 * @returns `undefined` when there is none
 */
export function claimNext(pool: Pool, workspaceId: string, analyst: Analyst): Promise<AlertRow | undefined> {
  const { accountId, name, nowMs } = analyst;
  return inTransaction(pool, async (client) => {
    const claimed = await client.query<{ id: string }>(
      `update alert set claimed_by = $2, claimed_by_name = $5, claimed_until = $4, claimed_at = coalesce(claimed_at, $3), ${notHanded}
        where workspace_id = $1 and id = (
          select id from alert
           where workspace_id = $1 and state = 'open' and (claimed_until is null or claimed_until <= $3)
           order by rank desc limit 1 for update skip locked)
       returning id`,
      [workspaceId, accountId, new Date(nowMs), new Date(nowMs + claimMs), name],
    );
    const id = claimed.rows[0]?.id;
    return id === undefined ? undefined : tellOf(client, workspaceId, { id, nowMs });
  });
}

/** No longer handed over. */
const notHanded = 'handed_by = null, handed_by_name = null, handed_at = null, handed_note = null';

interface ClaimOf {
  readonly id: string;
  readonly analyst: Analyst;
}

/**
 * Claims an alert for the analyst, or returns it to the queue. One that was handed over to the analyst stays theirs for
 * as long as it was.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` when it is closed or claimed by another
 */
export function changeClaim(
  pool: Pool,
  workspaceId: string,
  { id, analyst, change }: ClaimOf & { readonly change: 'claim' | 'release' },
): Promise<AlertRow> {
  const { nowMs, accountId = null } = analyst;
  const holder = change === 'claim' ? accountId : null;
  return inTransaction(pool, async (client) => {
    const before = await lockForWork(client, workspaceId, { id, analyst });
    const isHeld = holder !== null && before.claimed_by === holder;
    const untilMs = Math.max(nowMs + claimMs, isHeld ? (before.claimed_until?.getTime() ?? 0) : 0);
    await client.query(
      `update alert set claimed_by = $3, claimed_by_name = $6, claimed_until = $4, claimed_at = coalesce(claimed_at, $5)
              ${isHeld ? '' : `, ${notHanded}`}
        where workspace_id = $1 and id = $2`,
      [
        workspaceId,
        id,
        holder,
        holder === null ? null : new Date(untilMs),
        new Date(nowMs),
        holder === null ? null : analyst.name,
      ],
    );
    return tellOf(client, workspaceId, { id, nowMs });
  });
}

/**
 * Hands an alert over to another person.
 *
 * @param of `note` is encrypted, at `handedNotePlace`
 * @throws Problem as `changeClaim`
 */
export function handOver(
  pool: Pool,
  workspaceId: string,
  of: ClaimOf & { readonly to: Pick<Account, 'id' | 'email'>; readonly note: Buffer | undefined },
): Promise<AlertRow> {
  const { id, analyst, to, note } = of;
  const { nowMs } = analyst;
  return inTransaction(pool, async (client) => {
    await lockForWork(client, workspaceId, of);
    await client.query(
      `update alert set claimed_by = $3, claimed_until = $4, claimed_at = coalesce(claimed_at, $5),
              handed_by = $6, handed_by_name = $7, handed_at = $5, handed_note = $8, claimed_by_name = $9
        where workspace_id = $1 and id = $2`,
      [
        workspaceId,
        id,
        to.id,
        new Date(nowMs + handedMs),
        new Date(nowMs),
        analyst.accountId ?? null,
        analyst.name,
        note ?? null,
        to.email,
      ],
    );
    await noteAssignment(client, workspaceId, { alertId: id, to: to.id, by: analyst.name });
    return tellOf(client, workspaceId, { id, nowMs });
  });
}

/**
 * Takes back an alert that the analyst handed over, while the other person has it.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` when another person gave it, or the claim has ended
 */
export function takeBack(pool: Pool, workspaceId: string, { id, analyst }: ClaimOf): Promise<AlertRow> {
  const { nowMs, accountId } = analyst;
  return inTransaction(pool, async (client) => {
    const before = await lockAlert(client, workspaceId, { id, nowMs });
    refuseClosed(before);
    if (accountId === undefined || before.handed_by !== accountId) {
      throw new Problem('state.conflict', `Alert ${id} is not with a person to whom you handed it over.`);
    }
    await client.query(
      `update alert set claimed_by = $3, claimed_by_name = $5, claimed_until = $4, ${notHanded} where workspace_id = $1 and id = $2`,
      [workspaceId, id, accountId, new Date(nowMs + claimMs), analyst.name],
    );
    return tellOf(client, workspaceId, { id, nowMs });
  });
}

/** The place of a hand-over's note. */
export function handedNotePlace(
  { workspaceId, alertId }: { readonly workspaceId: string; readonly alertId: string },
  { giver, atMs }: { readonly giver: string; readonly atMs: number },
): Place {
  return { of: `handover:${workspaceId}:${alertId}`, row: `${atMs}:${giver}` };
}

/** Returns the present alert and notifies open pages. Must be the last step of a transaction. */
async function tellOf(
  client: ClientBase,
  workspaceId: string,
  of: { readonly id: string; readonly nowMs: number },
): Promise<AlertRow> {
  const row = await readAlert(client, workspaceId, of);
  await appendLive(client, workspaceId, [changeEntry(row, of.nowMs)]);
  return row;
}

function changeEntry(row: AlertRow, nowMs: number): LiveEntry {
  const change = row.state === 'closed' ? 'closed' : row.claimed_by === null ? 'released' : 'claimed';
  const data = { id: row.id, change, claimedBy: row.claimant, outcome: row.outcome };
  return { kind: 'alert', ref: `${row.id} ${change} ${nowMs}`, data };
}

/**
 * The alert, if this analyst may close it now; locks nothing.
 *
 * @throws Problem as `closeAlert`
 */
export async function closableAlert(pool: Pool, workspaceId: string, { id, analyst }: ClaimOf): Promise<AlertRow> {
  const alert = await readAlert(pool, workspaceId, { id, nowMs: analyst.nowMs });
  refuseWork(alert, analyst);
  return alert;
}

/**
 * Closes an alert.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` when it is closed or claimed by another
 */
export function closeAlert(
  pool: Pool,
  workspaceId: string,
  of: ClaimOf & {
    readonly outcome: NonNullable<AlertRow['outcome']>;
    readonly details?: FraudDetails;
    /** Additional work in the same transaction. */
    readonly also?: (client: ClientBase, alert: AlertRow) => Promise<void>;
  },
): Promise<AlertRow> {
  const { id, analyst, outcome, details, also } = of;
  const { nowMs } = analyst;
  return inTransaction(pool, async (client) => {
    await lockForWork(client, workspaceId, of);
    await client.query(
      `update alert set state = 'closed', ${decided}, claimed_until = null where workspace_id = $1 and id = $2`,
      decidedValues(workspaceId, { id, analyst, outcome, details }),
    );
    const closed = await readAlert(client, workspaceId, { id, nowMs });
    await also?.(client, closed);
    await appendLive(client, workspaceId, [changeEntry(closed, nowMs)]);
    return closed;
  });
}

/** The columns of a decision, and their values, from $1 on. */
const decided = `outcome = $3, closed_by = $4, closed_at = $5, fraud_type = $6, loss = $7, recovered = $8, loss_currency = $9`;

function decidedValues(
  workspaceId: string,
  decision: {
    readonly id: string;
    readonly analyst: Analyst;
    readonly outcome: string;
    readonly details: FraudDetails | undefined;
  },
): unknown[] {
  const { id, analyst, outcome, details } = decision;
  const { type, loss, recovered, currency } = details ?? {};
  return [workspaceId, id, outcome, analyst.name, new Date(analyst.nowMs), type, loss, recovered, currency];
}

/** @throws Problem as `correctAlert` */
export async function correctableAlert(
  database: Pool | ClientBase,
  workspaceId: string,
  { id, analyst, outcome, details }: Correction,
): Promise<AlertRow> {
  const alert = await readAlert(database, workspaceId, { id, nowMs: analyst.nowMs });
  if (alert.state === 'open') throw new Problem('state.conflict', `Alert ${id} is open: decide it.`);
  if (alert.outcome === outcome && isSame(alert, details)) {
    throw new Problem('state.conflict', `Alert ${id} already has this outcome, set by ${alert.closed_by}.`);
  }
  return alert;
}

interface Correction {
  readonly id: string;
  readonly analyst: Analyst;
  readonly outcome: Verdict;
  readonly details?: FraudDetails;
}

/** Whether a decision says what is recorded already. */
function isSame(alert: AlertRow, { type, loss, recovered, currency }: FraudDetails = {}): boolean {
  return (
    alert.fraud_type === (type ?? null) &&
    alert.loss === (loss ?? null) &&
    alert.recovered === (recovered ?? null) &&
    alert.loss_currency === (currency ?? null)
  );
}

/**
 * Changes the outcome of a closed alert, or what is said about its fraud. Replaces the time and the author of the first decision.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` when it is open, or already has this outcome
 */
export function correctAlert(
  pool: Pool,
  workspaceId: string,
  of: Correction & {
    /** Additional work in the same transaction. */
    readonly also: (client: ClientBase, alert: AlertRow) => Promise<void>;
  },
): Promise<AlertRow> {
  const { id, analyst, outcome, details, also } = of;
  const { nowMs } = analyst;
  return inTransaction(pool, async (client) => {
    await client.query(`select 1 from alert where workspace_id = $1 and id = $2 for update`, [workspaceId, id]);
    await correctableAlert(client, workspaceId, of);
    await client.query(
      `update alert set ${decided} where workspace_id = $1 and id = $2`,
      decidedValues(workspaceId, { id, analyst, outcome, details }),
    );
    const corrected = await readAlert(client, workspaceId, { id, nowMs });
    await also(client, corrected);
    await appendLive(client, workspaceId, [changeEntry(corrected, nowMs)]);
    return corrected;
  });
}

/** Locks an open alert that this analyst may work on. */
async function lockForWork(client: ClientBase, workspaceId: string, { id, analyst }: ClaimOf): Promise<AlertRow> {
  const alert = await lockAlert(client, workspaceId, { id, nowMs: analyst.nowMs });
  refuseWork(alert, analyst);
  return alert;
}

async function lockAlert(
  client: ClientBase,
  workspaceId: string,
  of: { readonly id: string; readonly nowMs: number },
): Promise<AlertRow> {
  await client.query(`select 1 from alert where workspace_id = $1 and id = $2 for update`, [workspaceId, of.id]);
  return readAlert(client, workspaceId, of);
}

function refuseWork(alert: AlertRow, analyst: Analyst): void {
  refuseClosed(alert);
  const isOthers = alert.claimed_by !== null && alert.claimed_by !== analyst.accountId;
  if (isOthers && analyst.accountId !== undefined) {
    const until = alert.claimed_until?.toISOString() ?? '';
    const who = alert.claimant ?? 'somebody';
    throw new Problem('state.conflict', `Alert ${alert.id} is claimed by ${who} until ${until}.`);
  }
}

function refuseClosed({ id, state, closed_by: closer }: AlertRow): void {
  if (state === 'closed') throw new Problem('state.conflict', `Alert ${id} was closed by ${closer}.`);
}
