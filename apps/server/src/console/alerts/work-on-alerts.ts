/**
 * How analysts work on alerts. An analyst claims an alert; while the claim lasts, no other analyst can.
 *
 *     open --claim/next--> claimed --release, 30 min without activity--> open
 *       \                    |  \--hand over--> claimed by another
 *        \---close-----------+--close (fraud, legitimate, inconclusive, suppressed)--> closed --correct--> closed, other outcome
 */
import { minuteMs, Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { noteAssignment } from '../../notifications/sources.ts';
import { appendLive, type LiveEntry } from '../live/live-log.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
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
  const { accountId, nowMs } = analyst;
  return inTransaction(pool, async (client) => {
    const claimed = await client.query<{ id: string }>(
      `update alert set claimed_by = $2, claimed_until = $4, claimed_at = coalesce(claimed_at, $3)
        where workspace_id = $1 and id = (
          select id from alert
           where workspace_id = $1 and state = 'open' and (claimed_until is null or claimed_until <= $3)
           order by rank desc limit 1 for update skip locked)
       returning id`,
      [workspaceId, accountId, new Date(nowMs), new Date(nowMs + claimMs)],
    );
    const id = claimed.rows[0]?.id;
    return id === undefined ? undefined : tellOf(client, workspaceId, { id, nowMs });
  });
}

type Change = 'claim' | 'release' | { readonly handTo: string };

/** @throws Problem `thing.unknown`, and `state.conflict` when it is closed or claimed by another */
export function changeClaim(
  pool: Pool,
  workspaceId: string,
  of: { readonly id: string; readonly analyst: Analyst; readonly change: Change },
): Promise<AlertRow> {
  const { id, analyst, change } = of;
  const { nowMs } = analyst;
  return inTransaction(pool, async (client) => {
    await lockForWork(client, workspaceId, of);
    const holder = change === 'claim' ? (analyst.accountId ?? null) : change === 'release' ? null : change.handTo;
    await client.query(
      `update alert set claimed_by = $3, claimed_until = $4, claimed_at = coalesce(claimed_at, $5)
        where workspace_id = $1 and id = $2`,
      [workspaceId, id, holder, holder === null ? null : new Date(nowMs + claimMs), new Date(nowMs)],
    );
    if (typeof change === 'object' && change.handTo !== analyst.accountId)
      await noteAssignment(client, workspaceId, { alertId: id, to: change.handTo, by: analyst.name });
    return tellOf(client, workspaceId, { id, nowMs });
  });
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
 * Alerts that this analyst may close now; locks nothing.
 *
 * @throws Problem as `closeAlerts`
 */
export async function closableAlerts(
  pool: Pool,
  workspaceId: string,
  { ids, analyst }: { readonly ids: readonly string[]; readonly analyst: Analyst },
): Promise<readonly AlertRow[]> {
  const alerts: AlertRow[] = [];
  for (const id of new Set(ids)) {
    const alert = await readAlert(pool, workspaceId, { id, nowMs: analyst.nowMs });
    refuseWork(alert, analyst);
    alerts.push(alert);
  }
  return alerts;
}

/**
 * Closes alerts: all of them, or none.
 *
 * @throws Problem `thing.unknown`, and `state.conflict` when one is closed or claimed by another
 */
export function closeAlerts(
  pool: Pool,
  workspaceId: string,
  of: {
    readonly ids: readonly string[];
    readonly analyst: Analyst;
    readonly outcome: NonNullable<AlertRow['outcome']>;
    readonly details?: FraudDetails;
    /** Additional work in the same transaction. */
    readonly also?: (client: ClientBase, alerts: readonly AlertRow[]) => Promise<void>;
  },
): Promise<readonly AlertRow[]> {
  const { analyst, outcome, details, also } = of;
  // In a fixed order, so that two analysts who close the same alerts cannot deadlock.
  const ids = [...new Set(of.ids)].toSorted((a, b) => (a < b ? -1 : 1));
  return inTransaction(pool, async (client) => {
    const closed: AlertRow[] = [];
    for (const id of ids) {
      await lockForWork(client, workspaceId, { id, analyst });
      await client.query(
        `update alert set state = 'closed', ${decided}, claimed_until = null where workspace_id = $1 and id = $2`,
        decidedValues(workspaceId, { id, analyst, outcome, details }),
      );
      closed.push(await readAlert(client, workspaceId, { id, nowMs: analyst.nowMs }));
    }
    await also?.(client, closed);
    await appendLive(
      client,
      workspaceId,
      closed.map((row) => changeEntry(row, analyst.nowMs)),
    );
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
    readonly also: (client: ClientBase, alerts: readonly AlertRow[]) => Promise<void>;
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
    await also(client, [corrected]);
    await appendLive(client, workspaceId, [changeEntry(corrected, nowMs)]);
    return corrected;
  });
}

/** Locks an open alert that this analyst may work on. */
async function lockForWork(
  client: ClientBase,
  workspaceId: string,
  { id, analyst }: { readonly id: string; readonly analyst: Analyst },
): Promise<void> {
  await client.query(`select 1 from alert where workspace_id = $1 and id = $2 for update`, [workspaceId, id]);
  refuseWork(await readAlert(client, workspaceId, { id, nowMs: analyst.nowMs }), analyst);
}

function refuseWork(alert: AlertRow, analyst: Analyst): void {
  const { id } = alert;
  if (alert.state === 'closed') throw new Problem('state.conflict', `Alert ${id} was closed by ${alert.closed_by}.`);
  const isOthers = alert.claimed_by !== null && alert.claimed_by !== analyst.accountId;
  if (isOthers && analyst.accountId !== undefined) {
    const until = alert.claimed_until?.toISOString() ?? '';
    throw new Problem('state.conflict', `Alert ${id} is claimed by ${alert.claimant ?? 'somebody'} until ${until}.`);
  }
}
