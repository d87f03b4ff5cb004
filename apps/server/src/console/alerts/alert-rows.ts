import { dayMs, Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';

/** What a person decides an alert to be. `inconclusive` gives its events no label. */
export const verdicts = ['fraud', 'legitimate', 'inconclusive'] as const;
export type Verdict = (typeof verdicts)[number];

export interface AlertRow {
  readonly id: string;
  readonly seq: number;
  readonly subject: string | null;
  readonly state: 'open' | 'closed';
  readonly rank: number;
  readonly risk: number;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly decisions: number;
  readonly reasons: readonly number[];
  /** The encrypted name of its client; absent if its events have no client. */
  readonly client: Buffer | null;
  readonly first_offset: number;
  readonly last_offset: number;
  /** The event with the greatest risk, the newest of equals. */
  readonly riskiest_offset: number;
  readonly opened_at: Date;
  readonly last_at: Date;
  /** The e-mail address of the analyst who claimed it, while the claim lasts. */
  readonly claimant: string | null;
  readonly claimed_by: string | null;
  readonly claimed_until: Date | null;
  readonly outcome: Verdict | 'suppressed' | null;
  /** Of fraud: what the analyst said of it. Amounts in digits. */
  readonly fraud_type: string | null;
  readonly loss: string | null;
  readonly recovered: string | null;
  readonly loss_currency: string | null;
  readonly closed_by: string | null;
  readonly closed_at: Date | null;
}

/** Columns of `alert a`. An expired claim counts as none. @param now the index of the parameter with the time */
const alertColumns = (now: string): string => `
  a.id, a.seq, a.subject, a.state, a.rank, a.risk, a.amount, a.currency, a.decisions, a.reasons, a.client, a.first_offset, a.last_offset, coalesce(a.riskiest_offset, a.last_offset) as riskiest_offset, a.opened_at,
  a.last_at, a.outcome, a.fraud_type, a.loss::text, a.recovered::text, a.loss_currency, a.closed_by, a.closed_at,
  case when a.claimed_until > ${now} then a.claimed_by end as claimed_by,
  case when a.claimed_until > ${now} then a.claimed_until end as claimed_until,
  case when a.claimed_until > ${now} then (select c.email from account c where c.id = a.claimed_by) end as claimant`;

export interface AlertFilter {
  readonly state: 'open' | 'closed';
  /** `free`: not claimed. */
  readonly claim?: 'free' | 'claimed' | undefined;
  /** Claimed by this account. */
  readonly claimedBy?: string | undefined;
  readonly subject?: string | undefined;
  readonly reason?: number | undefined;
  readonly outcome?: AlertRow['outcome'] | undefined;
}

interface AlertPage {
  readonly limit: number;
  readonly before?: number | undefined;
  readonly nowMs: number;
}

/** Rows of a page, and how far the search got. */
export interface FoundAlerts {
  readonly rows: readonly AlertRow[];
  /** Set when a page is short because the search reached its limit: alerts after this position were not examined. */
  readonly lookedTo?: number;
}

/**
 * Alerts that one page examines when few or none of them match the filter. They are neighbours in index order: about
 * thirty are on one page of the table. Source: docs/internals/console-queries.md
 */
const lookedMax = 50_000;

/** Open alerts in queue order, or closed ones newest first. */
export async function listAlerts(
  pool: Pool,
  workspaceId: string,
  wanted: { readonly filter: AlertFilter; readonly page: AlertPage },
): Promise<FoundAlerts> {
  const { filter, page } = wanted;
  const isOpen = filter.state === 'open';
  const order = isOpen ? 'rank' : 'seq';
  // Conditions that indexes serve: the order itself, the alerts of a client, and open ones by claimant.
  const along: Condition[] = [['workspace_id =', workspaceId]];
  if (filter.subject !== undefined) along.push(['subject =', filter.subject]);
  if (isOpen && filter.claimedBy !== undefined) along.push(['claimed_by =', filter.claimedBy]);
  if (page.before !== undefined) along.push([`${order} <`, page.before]);
  const where = along.map(([condition], at) => `${condition} $${at + 1}`).join(' and ');
  const values = along.map(([, value]) => value);
  const inOrder = `from alert where ${isOpen ? "state = 'open' and " : ''}${where} order by ${order} desc`;
  const [now, claim, claimedBy, reason, outcome, limit] = [1, 2, 3, 4, 5, 6].map((at) => `$${along.length + at}`);
  const { rows } = await pool.query<AlertRow>(
    `select ${alertColumns(now!)} from (select * ${inOrder} limit ${lookedMax}) a
      where a.state = '${filter.state}'
        and (${claim}::text is null or (${claim} = 'free') = (a.claimed_until is null or a.claimed_until <= ${now}))
        and (${claimedBy}::text is null or (a.claimed_by = ${claimedBy} and a.claimed_until > ${now}))
        and (${reason}::integer is null or ${reason} = any (a.reasons))
        and (${outcome}::text is null or a.outcome = ${outcome})
      order by a.${order} desc limit ${limit}`,
    [
      ...values,
      new Date(page.nowMs),
      filter.claim ?? null,
      filter.claimedBy ?? null,
      filter.reason ?? null,
      filter.outcome ?? null,
      page.limit,
    ],
  );
  if (rows.length === page.limit) return { rows };
  const last = await pool.query<{ at: number }>(
    `select ${order} as at ${inOrder} offset ${lookedMax - 1} limit 1`,
    values,
  );
  return last.rows[0] === undefined ? { rows } : { rows, lookedTo: last.rows[0].at };
}

/** A condition on a column, and its value. */
type Condition = readonly [condition: string, value: string | number];

/** @throws Problem `thing.unknown` */
export async function readAlert(
  database: Pool | ClientBase,
  workspaceId: string,
  of: { readonly id: string; readonly nowMs: number },
): Promise<AlertRow> {
  const found = await database.query<AlertRow>(
    `select ${alertColumns('$2')} from alert a where a.workspace_id = $1 and a.id = $3`,
    [workspaceId, new Date(of.nowMs), of.id],
  );
  const row = found.rows[0];
  if (row === undefined) throw new Problem('thing.unknown', `There is no alert ${of.id} in this workspace.`);
  return row;
}

/** The newest events of an alert, shown on its page. */
const eventsMax = 100;

export async function offsetsOf(pool: Pool, workspaceId: string, id: string): Promise<readonly number[]> {
  const found = await pool.query<{ offset: number }>(
    `select "offset" from alert_event where workspace_id = $1 and alert_id = $2 order by "offset" desc limit ${eventsMax}`,
    [workspaceId, id],
  );
  return found.rows.map(({ offset }) => offset);
}

export interface AlertNumbers {
  readonly open: number;
  readonly claimed: number;
  readonly oldestAt: Date | null;
  /** Alerts closed in the last 30 days, by outcome, and how long it took. */
  readonly fraud: number;
  readonly legitimate: number;
  readonly inconclusive: number;
  readonly medianSeconds: number | null;
  readonly p90Seconds: number | null;
}

const measuredMs = 30 * dayMs;

export async function readAlertNumbers(pool: Pool, workspaceId: string, nowMs: number): Promise<AlertNumbers> {
  const [open, closed] = await Promise.all([
    pool.query<Pick<AlertNumbers, 'open' | 'claimed' | 'oldestAt'>>(
      `select count(*) as open, count(*) filter (where claimed_until > $2) as claimed, min(opened_at) as "oldestAt"
         from alert where workspace_id = $1 and state = 'open'`,
      [workspaceId, new Date(nowMs)],
    ),
    pool.query<Omit<AlertNumbers, 'open' | 'claimed' | 'oldestAt'>>(
      `select count(*) filter (where outcome = 'fraud') as fraud,
              count(*) filter (where outcome = 'legitimate') as legitimate,
              count(*) filter (where outcome = 'inconclusive') as inconclusive,
              percentile_cont(0.5) within group (order by extract(epoch from closed_at - opened_at)) as "medianSeconds",
              percentile_cont(0.9) within group (order by extract(epoch from closed_at - opened_at)) as "p90Seconds"
         from alert where workspace_id = $1 and state = 'closed' and closed_at > $2`,
      [workspaceId, new Date(nowMs - measuredMs)],
    ),
  ]);
  return { ...open.rows[0]!, ...closed.rows[0]! };
}
