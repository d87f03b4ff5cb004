/**
 * What an analyst decides an alert by: its riskiest event, what is normal for the client beside it, and who else shares
 * its device, address and payee. All of it comes from a bounded number of index look-ups, in three rounds:
 *
 *     riskiest event -> login, history, sharers, earlier alerts, actions, reports -> their records, decrypted
 *
 * What is normal leaves out the events of the alert and of the session of the riskiest one: a stranger's own login does
 * not make their device known.
 */
import { clientOf, type Enrichment, type OutcomeName } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { ModelExplanation } from '@ringfence/policy';
import type { Pool } from 'pg';
import type { EventTable } from '../../platform/database/tables.ts';
import { type ClientKeys, openDecision, type OpenedEvent, openEvents } from '../../records/event-opener.ts';
import { keptExplanations } from '../../records/kept-explanations.ts';
import { subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { entitiesOf } from '../event-index/entities.ts';
import { type EventOutcome, outcomesOf } from '../event-outcomes.ts';
import { type AlertRow, offsetsOf } from './alert-rows.ts';

/** The client's newest events before this one that count as usual: some weeks of a person's payments. */
const historyMax = 500;
/** Payments shown with their amounts. */
const paymentsMax = 10;
/** Logins that are opened for their countries. */
const originsMax = 20;
/** The newest events with a shared device, address or payee. */
const sharedMax = 300;
const linkedMax = 6;
const earlierMax = 5;
/** The alerts of a client that are counted by outcome. */
const countedMax = 1_000;
/** A session's events among which its login is looked for. */
const sessionMax = 1_000;
const reportsMax = 10;
/** Devices and countries that are listed. */
const listedMax = 6;

const sharedKinds = ['device', 'ip', 'payee'] as const;
type SharedKind = (typeof sharedKinds)[number];

type FactRow = Pick<
  EventTable,
  | 'offset'
  | 'epoch'
  | 'kind'
  | 'subject'
  | 'session_index'
  | 'channel_id'
  | 'logged_at'
  | 'event_at'
  | 'fired'
  | 'device'
  | 'ip'
  | 'payee'
  | 'amount'
  | 'currency'
>;

const columns = `"offset", epoch, kind, subject, session_index, channel_id, logged_at, event_at, fired, device, ip, payee, amount::text, currency`;

type DecidedRow = FactRow & Pick<EventTable, 'detail' | 'policy_version'>;

/** Something that the event names, and how well the client knew it before. */
export interface KnownThing {
  readonly index: Buffer;
  /** `undefined` when it can no longer be read. */
  readonly value: string | undefined;
  /** The client's earlier events with it, and the first of them. */
  readonly earlier: number;
  readonly firstAtMs: number | undefined;
  readonly facts: Enrichment['facts'];
}

/** Another client with events of the same device, address or payee. */
export interface LinkedClient {
  readonly subject: string;
  readonly client: string | undefined;
  readonly shares: readonly SharedKind[];
  readonly lastAtMs: number;
  /** Its newest alert. */
  readonly alert: Pick<AlertRow, 'id' | 'state' | 'outcome'> | undefined;
}

/** What is normal for the client. */
export interface Usual {
  /** Events that were looked at, at most 500, and the oldest of them. */
  readonly events: number;
  readonly sinceMs: number | undefined;
  /** Newest first, in the currency of this one. */
  readonly payments: readonly FactRow[];
  /** Number of all payments in that currency. */
  readonly paid: number;
  /** Events by hour of the day in the time zone of the workspace. */
  readonly hours: readonly number[];
  readonly payees: number;
  readonly devices: number;
  /** Where the newest logins came from, the most frequent first. */
  readonly origins: readonly { readonly country: string; readonly logins: number }[];
}

/** Another alert of the client. */
export type EarlierAlert = Pick<AlertRow, 'id' | 'state' | 'risk' | 'outcome' | 'fraud_type' | 'opened_at' | 'reasons'>;

/** What was reported about an event of the alert. */
export interface BankReport {
  readonly offset: number;
  readonly epoch: number;
  readonly outcome: OutcomeName;
  readonly type: string | null;
  readonly loss: string | null;
  readonly recovered: string | null;
  readonly currency: string | null;
  readonly author: string;
  readonly reported_at: Date;
}

export interface AlertFacts {
  readonly event: FactRow;
  /** Models that its fired rules read. */
  readonly models: readonly ModelExplanation[];
  readonly opened: OpenedEvent | undefined;
  readonly payee: KnownThing | undefined;
  readonly device: KnownThing | undefined;
  readonly address: KnownThing | undefined;
  /** The hour of the event in the time zone of the workspace. */
  readonly hour: number;
  readonly usual: Usual;
  readonly linked: readonly LinkedClient[];
  readonly earlier: readonly EarlierAlert[];
  /** All alerts of the client but this one, by outcome; `open` without one. */
  readonly earlierCounts: Readonly<Record<string, number>>;
  readonly actions: EventOutcome['actions'];
  readonly reports: readonly BankReport[];
}

interface FactsDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** `undefined` once its riskiest event was removed. */
export async function factsOf(
  deps: FactsDeps,
  workspace: Workspace,
  alert: Pick<AlertRow, 'id' | 'subject' | 'riskiest_offset'>,
): Promise<AlertFacts | undefined> {
  const { pool } = deps;
  const { id: workspaceId } = workspace;
  const [found, offsets] = await Promise.all([
    pool.query<DecidedRow>(
      `select ${columns}, detail, policy_version from event where workspace_id = $1 and "offset" = $2`,
      [workspaceId, alert.riskiest_offset],
    ),
    offsetsOf(pool, workspaceId, alert.id),
  ]);
  const event = found.rows[0];
  if (event === undefined) return undefined;
  const [login, before, earlier, outcomes, reports] = await Promise.all([
    loginOf(pool, workspaceId, event),
    historyOf(pool, workspaceId, event),
    earlierAlerts(pool, workspaceId, alert),
    outcomesOf(pool, workspaceId, offsets),
    reportsAbout(pool, workspaceId, offsets),
  ]);
  const sharers = await sharersOf(pool, workspaceId, { event, login });
  const own = new Set(offsets);
  const history = before.filter((row) => !own.has(row.offset) && !isSameSession(row, event));
  const logins = history.filter(({ kind }) => kind === 'login').slice(0, originsMax);
  const read = [event, ...(login === undefined ? [] : [login]), ...logins, ...sharers.map(({ sample }) => sample)];
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(read));
  const records = await openEvents(deps.log, workspace, {
    offsets: [...new Set(read.map(({ offset }) => offset))],
    keys,
  });
  const hourOf = hoursIn(workspace.settings.timezone);
  const thing = (kind: SharedKind, of: FactRow | undefined) => thingOf(kind, of, { history, records });
  return {
    event,
    models: await modelsOf(pool, workspace, { event, keys }),
    opened: records.get(event.offset),
    payee: thing('payee', event),
    device: thing('device', login),
    address: thing('ip', login),
    hour: hourOf(event),
    usual: usualOf(history, { event, hourOf, origins: originsOf(logins, records) }),
    linked: sharers.map(({ sample, ...sharer }) => ({ ...sharer, client: nameIn(records.get(sample.offset)) })),
    ...earlier,
    actions: offsets.flatMap((offset) => outcomes.get(offset)?.actions ?? []),
    reports,
  };
}

/** From the inputs that its decision keeps. */
async function modelsOf(
  pool: Pool,
  workspace: Workspace,
  { event, keys }: { readonly event: DecidedRow; readonly keys: ClientKeys },
): Promise<readonly ModelExplanation[]> {
  const { policy_version: policyVersion, kind, currency } = event;
  const decision = openDecision(workspace, event, keys);
  const reads = (decision?.fired ?? []).flatMap(({ facts }) => Object.keys(facts));
  // Of other alerts the policy is not loaded.
  if (policyVersion === null || !reads.some((path) => path.startsWith('model.'))) return [];
  const asked = { decision, policyVersion, kind, currency: currency ?? undefined };
  return (await keptExplanations(pool, workspace.id, asked)) ?? [];
}

function isSameSession(a: FactRow, b: FactRow): boolean {
  return a.session_index !== null && b.session_index !== null && a.session_index.equals(b.session_index);
}

/** The login of the event's session, or the event itself. */
async function loginOf(pool: Pool, workspaceId: string, event: FactRow): Promise<FactRow | undefined> {
  if (event.kind === 'login') return event;
  if (event.session_index === null) return undefined;
  const { rows } = await pool.query<FactRow>(
    `select ${columns} from (
       select * from event where workspace_id = $1 and session_index = $2 and "offset" <= $3
        order by "offset" desc limit ${sessionMax}) of_session
      where kind = 'login' and subject is not distinct from $4 order by "offset" desc limit 1`,
    [workspaceId, event.session_index, event.offset, event.subject],
  );
  return rows[0];
}

async function historyOf(pool: Pool, workspaceId: string, event: FactRow): Promise<readonly FactRow[]> {
  if (event.subject === null) return [];
  const { rows } = await pool.query<FactRow>(
    `select ${columns} from event where workspace_id = $1 and subject = $2 and "offset" < $3
      order by "offset" desc limit ${historyMax}`,
    [workspaceId, event.subject, event.offset],
  );
  return rows;
}

interface Sharer extends Omit<LinkedClient, 'client'> {
  /** The newest event by which it is linked. */
  readonly sample: Pick<EventTable, 'offset' | 'subject'>;
}

/** Other clients with the event's payee, or the device or the address of its login: those with most in common first. */
async function sharersOf(
  pool: Pool,
  workspaceId: string,
  { event, login }: { readonly event: FactRow; readonly login: FactRow | undefined },
): Promise<readonly Sharer[]> {
  const found = await Promise.all(
    sharedKinds.map(async (kind) => {
      const index = kind === 'payee' ? event.payee : login?.[kind];
      if (index === null || index === undefined) return [];
      const { rows } = await pool.query<Pick<EventTable, 'offset' | 'subject' | 'logged_at'>>(
        `select "offset", subject, logged_at from event where workspace_id = $1 and ${kind} = $2
          order by "offset" desc limit ${sharedMax}`,
        [workspaceId, index],
      );
      return rows.map((row) => ({ ...row, kind }));
    }),
  );
  const others = found.flat().filter(({ subject }) => subject !== null && subject !== event.subject);
  const groups = [...Map.groupBy(others, ({ subject }) => subject!)].map(([subject, rows]) => {
    const sample = rows.toSorted((a, b) => b.offset - a.offset)[0]!;
    const shares = sharedKinds.filter((kind) => rows.some((row) => row.kind === kind));
    return { subject, sample, shares, lastAtMs: sample.logged_at.getTime() };
  });
  const closest = groups
    .toSorted((a, b) => b.shares.length - a.shares.length || b.lastAtMs - a.lastAtMs)
    .slice(0, linkedMax);
  const alerts = await newestAlerts(
    pool,
    workspaceId,
    closest.map(({ subject }) => subject),
  );
  return closest.map((one) => ({ ...one, alert: alerts.get(one.subject) }));
}

async function newestAlerts(
  pool: Pool,
  workspaceId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<LinkedClient['alert']>>> {
  const { rows } = await pool.query<NonNullable<LinkedClient['alert']> & { readonly subject: string }>(
    `select a.subject, a.id, a.state, a.outcome from unnest($2::text[]) as wanted (subject)
      cross join lateral (select subject, id, state, outcome from alert
                           where workspace_id = $1 and alert.subject = wanted.subject order by seq desc limit 1) a`,
    [workspaceId, subjects],
  );
  return new Map(rows.map(({ subject, ...alert }) => [subject, alert]));
}

/** Other alerts of the client, newest first, and how many ended how. */
async function earlierAlerts(
  pool: Pool,
  workspaceId: string,
  { id, subject }: Pick<AlertRow, 'id' | 'subject'>,
): Promise<Pick<AlertFacts, 'earlier' | 'earlierCounts'>> {
  if (subject === null) return { earlier: [], earlierCounts: {} };
  const { rows } = await pool.query<EarlierAlert>(
    `select id, state, risk, outcome, fraud_type, opened_at, reasons from alert
      where workspace_id = $1 and subject = $2 and id <> $3 order by seq desc limit ${countedMax}`,
    [workspaceId, subject, id],
  );
  const counts: Record<string, number> = {};
  for (const { outcome } of rows) counts[outcome ?? 'open'] = (counts[outcome ?? 'open'] ?? 0) + 1;
  return { earlier: rows.slice(0, earlierMax), earlierCounts: counts };
}

/** The newest reports, newest first. */
async function reportsAbout(
  pool: Pool,
  workspaceId: string,
  offsets: readonly number[],
): Promise<readonly BankReport[]> {
  const { rows } = await pool.query<BankReport>(
    `select "offset", epoch, outcome, type, loss::text, recovered::text, currency, author, reported_at from event_report
      where workspace_id = $1 and "offset" = any ($2::bigint[]) order by record_offset desc limit ${reportsMax}`,
    [workspaceId, offsets],
  );
  return rows;
}

type Records = ReadonlyMap<number, OpenedEvent>;

function thingOf(
  kind: SharedKind,
  of: FactRow | undefined,
  { history, records }: { readonly history: readonly FactRow[]; readonly records: Records },
): KnownThing | undefined {
  const index = of?.[kind];
  if (of === undefined || index === null || index === undefined) return undefined;
  const opened = records.get(of.offset);
  const before = history.filter((row) => row[kind]?.equals(index));
  return {
    index,
    value: opened === undefined ? undefined : entitiesOf(opened.event, opened.facts)[kind],
    earlier: before.length,
    firstAtMs: before.at(-1)?.logged_at.getTime(),
    facts: opened?.facts ?? {},
  };
}

function usualOf(
  history: readonly FactRow[],
  {
    event,
    hourOf,
    origins,
  }: {
    readonly event: FactRow;
    readonly hourOf: (row: FactRow) => number;
    readonly origins: Usual['origins'];
  },
): Usual {
  const hours = Array.from({ length: 24 }, () => 0);
  for (const row of history) hours[hourOf(row)]!++;
  const payments = history.filter(
    ({ kind, amount, currency }) => kind === 'operation' && amount !== null && currency === event.currency,
  );
  const distinct = (kind: SharedKind): number =>
    new Set(history.flatMap((row) => row[kind]?.toString('base64url') ?? [])).size;
  return {
    events: history.length,
    sinceMs: history.at(-1)?.logged_at.getTime(),
    payments: payments.slice(0, paymentsMax),
    paid: payments.length,
    hours,
    payees: distinct('payee'),
    devices: distinct('device'),
    origins,
  };
}

function originsOf(logins: readonly FactRow[], records: Records): Usual['origins'] {
  const counts = new Map<string, number>();
  for (const { offset } of logins) {
    const country = records.get(offset)?.facts['ip.country'];
    if (typeof country === 'string') counts.set(country, (counts.get(country) ?? 0) + 1);
  }
  return [...counts]
    .map(([country, count]) => ({ country, logins: count }))
    .toSorted((a, b) => b.logins - a.logins)
    .slice(0, listedMax);
}

/** Tells the hour of the day of an event in a time zone. */
function hoursIn(timeZone: string): (row: Pick<FactRow, 'event_at' | 'logged_at'>) => number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return ({ event_at: eventAt, logged_at: loggedAt }) => Number(format.format(eventAt ?? loggedAt));
}

function nameIn(opened: OpenedEvent | undefined): string | undefined {
  return opened === undefined ? undefined : clientOf(opened.event);
}
