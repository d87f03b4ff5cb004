import { dayMs, Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { type AlertOrder, type AlertSort, closedOrder, currencyColumn, openOrders } from './alert-orders.ts';

/** What a person decides an alert to be. `inconclusive` gives its events no label. */
export const verdicts = ['fraud', 'legitimate', 'inconclusive'] as const;
export type Verdict = (typeof verdicts)[number];

export interface AlertRow {
  readonly id: string;
  readonly subject: string | null;
  readonly state: 'open' | 'closed';
  readonly risk: number;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly decisions: number;
  readonly reasons: readonly number[];
  readonly channels: readonly number[];
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
  /** Who handed it over to its claimant: the account, its name, when, and the encrypted note. */
  readonly handed_by: string | null;
  readonly handed_by_name: string | null;
  readonly handed_at: Date | null;
  readonly handed_note: Buffer | null;
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
  a.id, a.subject, a.state, a.risk, a.amount, a.currency, a.decisions, a.reasons, a.channels, a.client, a.first_offset, a.last_offset,
  coalesce(a.riskiest_offset, a.last_offset) as riskiest_offset,
  a.opened_at, a.last_at, a.outcome, a.fraud_type, a.loss::text, a.recovered::text, a.loss_currency, a.closed_by, a.closed_at,
  ${['claimed_by', 'claimed_until', 'handed_by', 'handed_by_name', 'handed_at', 'handed_note']
    .map((column) => `case when a.claimed_until > ${now} then a.${column} end as ${column}`)
    .join(', ')},
  case when a.claimed_until > ${now} then a.claimed_by_name end as claimant`;

export interface AlertFilter {
  readonly state: 'open' | 'closed';
  /** Of open alerts; closed ones are sorted by their decision. */
  readonly sort: AlertSort;
  /** Whether it is claimed. */
  readonly isClaimed?: boolean | undefined;
  /** Claimed by this account. */
  readonly claimedBy?: string | undefined;
  readonly subject?: string | undefined;
  readonly reason?: number | undefined;
  readonly channel?: number | undefined;
  readonly riskMin?: number | undefined;
  readonly currency?: string | undefined;
  /** Each in its own currency. */
  readonly amountMin?: number | undefined;
  readonly openedUntilMs?: number | undefined;
  readonly outcome?: AlertRow['outcome'] | undefined;
}

/** The order of a list. */
export function orderOf({ state, sort }: Pick<AlertFilter, 'state' | 'sort'>): AlertOrder {
  return state === 'open' ? openOrders[sort] : closedOrder;
}

interface AlertPage {
  readonly limit: number;
  /** The key of the last alert of the page before, as `AlertOrder` describes it. */
  readonly after?: readonly string[] | undefined;
  readonly nowMs: number;
}

/** An alert with its key in the order of the list. */
export type ListedAlert = AlertRow & { readonly key: readonly string[] };

/** Rows of a page, and how far the search got. */
export interface FoundAlerts {
  readonly rows: readonly ListedAlert[];
  /** Set when a page is short because the search reached its limit: alerts after this key were not examined. */
  readonly lookedTo?: readonly string[];
}

/**
 * Alerts that one page examines when few or none of them match the filter. They are neighbours in index order: about
 * thirty are on one page of the table. Source: docs/internals/console-queries.md
 */
const lookedMax = 50_000;

/** Open alerts in the order that the filter names, or closed ones, those decided last first. */
export async function listAlerts(
  pool: Pool,
  workspaceId: string,
  wanted: { readonly filter: AlertFilter; readonly page: AlertPage },
): Promise<FoundAlerts> {
  const { filter, page } = wanted;
  const order = orderOf(filter);
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const along = conditionsAlong(filter, order).map(([column, compare, value]) => `${column} ${compare} ${put(value)}`);
  if (page.after !== undefined) {
    const after = page.after.map((text, at) => order.key[at]!.read(put(text)));
    const columns = order.key.map(({ sql }) => sql).join(', ');
    along.push(`(${columns}) ${order.direction === 'desc' ? '<' : '>'} (${after.join(', ')})`);
  }
  const where = [`workspace_id = ${put(workspaceId)}`, `state = '${filter.state}'`, ...along].join(' and ');
  const sorted = order.key.map(({ sql }) => `${sql} ${order.direction}`).join(', ');
  const key = `array[${order.key.map(({ printed }) => printed).join(', ')}]`;
  const inOrder = `from alert where ${where} order by ${sorted}`;
  const searched = values.length;
  const now = put(new Date(page.nowMs));
  const conditions = conditionsOf(filter, now).map(([condition, value]) => condition(put(value)));
  const { rows } = await pool.query<ListedAlert>(
    `select ${alertColumns(now)}, ${key} as key from (select * ${inOrder} limit ${lookedMax}) a
      where ${['true', ...conditions].join(' and ')}
      order by ${sorted} limit ${put(page.limit)}`,
    values,
  );
  if (rows.length === page.limit) return { rows };
  const last = await pool.query<{ key: readonly string[] }>(
    `select ${key} as key ${inOrder} offset ${lookedMax - 1} limit 1`,
    values.slice(0, searched),
  );
  return last.rows[0] === undefined ? { rows } : { rows, lookedTo: last.rows[0].key };
}

/** A condition on a column, and its value. */
type Condition = readonly [column: string, compare: string, value: string | number | Date];

/** Conditions that an index serves: the first column of the order, the client, the claimant of an open alert. */
function conditionsAlong(filter: AlertFilter, { key: [first] }: AlertOrder): readonly Condition[] {
  const { state, subject, claimedBy } = filter;
  return [
    ...(subject === undefined ? [] : [['subject', '=', subject] as const]),
    ...(state === 'closed' || claimedBy === undefined ? [] : [['claimed_by', '=', claimedBy] as const]),
    ...comparisons(filter).filter(([column]) => column === first?.sql),
  ];
}

/** Conditions on single columns. */
function comparisons({ riskMin, currency, openedUntilMs }: AlertFilter): readonly Condition[] {
  return [
    ...(riskMin === undefined ? [] : [['risk', '>=', riskMin] as const]),
    ...(currency === undefined ? [] : [[currencyColumn, '=', currency] as const]),
    ...(openedUntilMs === undefined ? [] : [['opened_at', '<=', new Date(openedUntilMs)] as const]),
  ];
}

/** All conditions of a filter, each with its parameter. @param now the parameter with the time */
function conditionsOf(
  filter: AlertFilter,
  now: string,
): readonly (readonly [(parameter: string) => string, unknown])[] {
  const { isClaimed, claimedBy, reason, channel, amountMin, outcome } = filter;
  const all: readonly (readonly [(parameter: string) => string, unknown])[] = [
    [(wanted) => `${wanted} = (claimed_until is not null and claimed_until > ${now})`, isClaimed],
    [(account) => `(claimed_by = ${account} and claimed_until > ${now})`, claimedBy],
    [(rule) => `${rule} = any (reasons)`, reason],
    [(one) => `${one} = any (channels)`, channel],
    [(amount) => `amount >= ${amount}`, amountMin],
    [(decided) => `outcome = ${decided}`, outcome],
    ...comparisons(filter).map(
      ([column, compare, value]) => [(parameter: string) => `${column} ${compare} ${parameter}`, value] as const,
    ),
  ];
  return all.filter(([, value]) => value !== undefined);
}

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

/** Those of these alerts that still exist, by id. */
export async function readAlerts(
  database: Pool | ClientBase,
  workspaceId: string,
  of: { readonly ids: readonly string[]; readonly nowMs: number },
): Promise<ReadonlyMap<string, AlertRow>> {
  const found = await database.query<AlertRow>(
    `select ${alertColumns('$2')} from alert a where a.workspace_id = $1 and a.id = any ($3::text[])`,
    [workspaceId, new Date(of.nowMs), of.ids],
  );
  return new Map(found.rows.map((row) => [row.id, row]));
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
  /** Claimed by the account that asks. */
  readonly mine: number;
  /** Past their due time. */
  readonly overdue: number;
  readonly oldestAt: Date | null;
  readonly newestAt: Date | null;
  /** Alerts closed in the last 30 days, by outcome, and how long it took. */
  readonly fraud: number;
  readonly legitimate: number;
  readonly inconclusive: number;
  readonly medianSeconds: number | null;
  readonly p90Seconds: number | null;
}

const measuredMs = 30 * dayMs;

type OpenNumbers = Pick<AlertNumbers, 'open' | 'claimed' | 'mine' | 'overdue' | 'oldestAt' | 'newestAt'>;

/**
 * Numbers about the queue.
 *
 * @param of `accountId` asks; alerts opened until `overdueSinceMs` are overdue
 */
export async function readOpenNumbers(
  database: Pool,
  workspaceId: string,
  of: { readonly nowMs: number; readonly accountId?: string | undefined; readonly overdueSinceMs?: number | undefined },
): Promise<OpenNumbers> {
  const { nowMs, accountId, overdueSinceMs } = of;
  const found = await database.query<OpenNumbers>(
    `select count(*) as open, count(*) filter (where claimed_until > $2) as claimed,
            count(*) filter (where claimed_until > $2 and claimed_by = $3) as mine,
            count(*) filter (where opened_at <= $4) as overdue,
            min(opened_at) as "oldestAt", max(opened_at) as "newestAt"
       from alert where workspace_id = $1 and state = 'open'`,
    [workspaceId, new Date(nowMs), accountId ?? null, overdueSinceMs === undefined ? null : new Date(overdueSinceMs)],
  );
  return found.rows[0]!;
}

export async function readAlertNumbers(
  pool: Pool,
  workspaceId: string,
  of: Parameters<typeof readOpenNumbers>[2],
): Promise<AlertNumbers> {
  const [open, closed] = await Promise.all([
    readOpenNumbers(pool, workspaceId, of),
    pool.query<Omit<AlertNumbers, keyof OpenNumbers>>(
      `select count(*) filter (where outcome = 'fraud') as fraud,
              count(*) filter (where outcome = 'legitimate') as legitimate,
              count(*) filter (where outcome = 'inconclusive') as inconclusive,
              percentile_cont(0.5) within group (order by extract(epoch from closed_at - opened_at)) as "medianSeconds",
              percentile_cont(0.9) within group (order by extract(epoch from closed_at - opened_at)) as "p90Seconds"
         from alert where workspace_id = $1 and state = 'closed' and closed_at > $2`,
      [workspaceId, new Date(of.nowMs - measuredMs)],
    ),
  ]);
  return { ...open, ...closed.rows[0]! };
}
