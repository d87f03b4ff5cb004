import { homeOf, type OfCell } from '../platform/database/cell.ts';
import type { Pool, ClientBase } from 'pg';
import type { Account } from '../access/accounts/account.ts';
import { accountColumns, accountOf, type AccountRow } from '../access/accounts/account-rows.ts';
import { maskText } from '../access/audit/personal.ts';
import { type Right, rightsIn } from '../access/accounts/roles.ts';
import { alertCommentPlace } from '../console/alerts/comments.ts';
import { type AlertRow, readAlert } from '../console/alerts/alert-rows.ts';
import { listPeople, type Person } from '../notifications/choices.ts';
import { type Destination, destinationOf, type DestinationRow } from '../notifications/destinations.ts';
import { type Note, putNotes, type Recipient } from '../notifications/notification-outbox.ts';
import { type NotificationEvent, sendTimeMs } from '../notifications/notification-settings.ts';
import { type Source, sourcesMax, takeSources } from '../notifications/sources.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import type { Backlog } from '../platform/observability/backlog.ts';
import { openUndamaged } from '../platform/secrets/seal.ts';
import { clientPlace, keyOf } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type Condition, moneyOf, WorkspaceConditions } from './conditions.ts';
import { mentionedIn } from './mentions.ts';

export interface EvaluatorDeps extends OfCell {
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly workspaces: () => readonly Workspace[];
  readonly backlogs: () => Promise<readonly Backlog[]>;
  /** Log time. */
  readonly nowMs: () => number;
}

/** Everything that one round reads and writes, in one transaction. */
interface Round extends Pick<EvaluatorDeps, 'subjects'> {
  readonly client: ClientBase;
  readonly home: Pool;
  readonly nowMs: number;
  readonly backlogs: () => Promise<readonly Backlog[]>;
  readonly people: readonly Person[];
}

/**
 * Looks once at everything that is notified of. One process at a time does, in one transaction with the notes that it
 * writes: what was told is told, and what was not is found again.
 *
 * @returns whether more waits to be looked at
 */
export function evaluate(deps: EvaluatorDeps): Promise<boolean> {
  const { pool, subjects, nowMs } = deps;
  return inTransaction(pool, async (client) => {
    const lock = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('ringfence.notify', 0)) as taken`,
    );
    if (!lock.rows[0]!.taken) return false;
    const destinations = Map.groupBy(await readDestinations(client), (row) => row.workspace_id);
    const home = homeOf(deps);
    const people = await listPeople(home);
    const taken = await takeSources(client);
    const sources = Map.groupBy(taken, ({ workspaceId }) => workspaceId);
    let backlogs: Promise<readonly Backlog[]> | undefined;
    const round: Round = {
      client,
      home,
      subjects,
      people,
      nowMs: nowMs(),
      backlogs: () => (backlogs ??= deps.backlogs()),
    };
    for (const workspace of deps.workspaces()) {
      const of = (destinations.get(workspace.id) ?? []).map((row) => destinationOf(row, workspace));
      if (of.length === 0 && people.length === 0) continue;
      await evaluateWorkspace(round, workspace, { destinations: of, sources: sources.get(workspace.id) ?? [] });
    }
    return taken.length === sourcesMax;
  });
}

async function readDestinations(client: ClientBase): Promise<readonly DestinationRow[]> {
  return (await client.query<DestinationRow>(`select * from notification_destination order by seq`)).rows;
}

async function evaluateWorkspace(
  round: Round,
  workspace: Workspace,
  of: { readonly destinations: readonly Destination[]; readonly sources: readonly Source[] },
): Promise<void> {
  const { client, nowMs, backlogs } = round;
  const conditions = new WorkspaceConditions({ client, workspace, nowMs, backlogs });
  const happened = await happenedIn(round, workspace, of.sources);
  for (const destination of of.destinations) {
    const told = await toldTo(client, destination.id);
    const present = await conditions.of(destination.settings.events, told);
    const changes = await changesOf(round, workspace, { destination: destination.id, told, present });
    const alerts = await alertNotes(round, workspace, { destination, alerts: happened.alerts });
    const { events, recovery, showPersonal } = destination.settings;
    const notes = [
      ...alerts,
      ...changes.filter(({ over }) => recovery || over !== true),
      ...happened.notes.filter(({ event }) => events[event] !== undefined),
    ].map((told) => noteOf(told, showPersonal));
    const to: Recipient = {
      destination: destination.id,
      kind: destination.kind,
      dueAtMs: sendTimeMs(destination.settings, nowMs),
    };
    await putNotes(round, workspace, { to, notes });
  }
  for (const person of round.people) {
    const notes = await personalNotes(round, workspace, { person, happened: happened.notes, conditions });
    const to: Recipient = {
      destination: person.account.id,
      kind: 'email',
      dueAtMs: sendTimeMs(person.choice, nowMs),
    };
    await putNotes(round, workspace, { to, notes });
  }
}

/** A note, with what it says more where personal values are shown. */
interface Told extends Note {
  readonly clear?: Note['facts'];
}

function noteOf({ event, over, atMs, subject, facts, clear }: Told, showPersonal: boolean): Note {
  const shown = showPersonal ? { ...facts, ...clear } : facts;
  return { event, atMs, subject, facts: shown, ...(over === undefined ? {} : { over }) };
}

/** A note that is about people: only those hear of it personally. */
interface Happened extends Told {
  readonly event: 'mention' | 'assignment';
  readonly to: readonly string[];
}

interface HappenedIn {
  readonly alerts: readonly AlertRow[];
  readonly notes: readonly Happened[];
}

/** Alerts that changed, and what happened to people. */
async function happenedIn(round: Round, workspace: Workspace, sources: readonly Source[]): Promise<HappenedIn> {
  const { client, home, nowMs } = round;
  const alerts = new Map<string, AlertRow>();
  for (const id of new Set(sources.map(({ alertId }) => alertId))) {
    const row = await readAlert(client, workspace.id, { id, nowMs }).catch(() => undefined); // removed by its age
    if (row !== undefined) alerts.set(id, row);
  }
  const notes: Happened[] = [];
  const accounts = sources.some(({ kind }) => kind === 'comment') ? await readAccounts(home, workspace) : [];
  for (const source of sources) {
    const alert = alerts.get(source.alertId);
    if (alert === undefined) continue;
    if (source.kind === 'assignment') {
      const to = [source.accountId!];
      notes.push({ ...aboutPeople('assignment', { alert, source, nowMs }), to });
    }
    if (source.kind === 'comment') notes.push(...(await mentionsOf(round, workspace, { source, alert, accounts })));
  }
  const changed = new Set(sources.filter(({ kind }) => kind === 'alert').map(({ alertId }) => alertId));
  return { alerts: [...alerts.values()].filter(({ id }) => changed.has(id)), notes };
}

function aboutPeople<Event extends Happened['event']>(
  event: Event,
  { alert, source, nowMs }: { readonly alert: AlertRow; readonly source: Source; readonly nowMs: number },
): Note & { readonly event: Event } {
  return {
    event,
    atMs: nowMs,
    subject: alert.subject ?? undefined,
    facts: { alert: alert.id, by: source.author ?? '', risk: alert.risk },
  };
}

/** Accounts that may see the workspace. */
async function readAccounts(home: Pool, workspace: Workspace): Promise<readonly Account[]> {
  const { rows } = await home.query<AccountRow>(`select ${accountColumns} from account a where a.disabled_at is null`);
  return rows.map(accountOf).filter((account) => isAllowed(account, 'see', workspace));
}

function isAllowed({ roles }: Account, right: Right, { id }: Workspace): boolean {
  return rightsIn(roles, id).includes(right);
}

async function mentionsOf(
  round: Round,
  workspace: Workspace,
  of: { readonly source: Source; readonly alert: AlertRow; readonly accounts: readonly Account[] },
): Promise<readonly Happened[]> {
  const { source, alert, accounts } = of;
  const { rows } = await round.client.query<{ sealed: Buffer; author: string; at: Date }>(
    `select sealed, author, at from alert_comment where workspace_id = $1 and alert_id = $2 and seq = $3`,
    [workspace.id, alert.id, source.commentSeq],
  );
  const comment = rows[0];
  const key = await keyOf(round, workspace, alert.subject);
  if (comment === undefined || key === undefined) return [];
  const place = alertCommentPlace(
    { workspace, alertId: alert.id },
    { author: comment.author, atMs: comment.at.getTime() },
  );
  const text = openUndamaged(key, comment.sealed, place)?.toString() ?? '';
  const named = mentionedIn(text, accounts).filter(({ email }) => email !== comment.author);
  if (named.length === 0) return [];
  const note = aboutPeople('mention', { alert, source, nowMs: round.nowMs });
  return [{ ...note, clear: { comment: text }, to: named.map(({ id }) => id) }];
}

async function toldTo(client: ClientBase, destination: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ key: string }>(
    `select key from notification_condition where destination = $1 and event <> 'alert'`,
    [destination],
  );
  return new Set(rows.map(({ key }) => key));
}

interface Standing {
  readonly destination: string;
  readonly told: ReadonlySet<string>;
  readonly present: readonly Condition[];
}

/** Notes what has begun and what is over, and returns both. */
async function changesOf(
  { client, nowMs }: Round,
  workspace: Workspace,
  { destination, told, present }: Standing,
): Promise<readonly Note[]> {
  const begun = present.filter(({ key }) => !told.has(key));
  const keys = new Set(present.map(({ key }) => key));
  const over = [...told].filter((key) => !keys.has(key));
  await beginConditions(client, workspace.id, { destination, begun, nowMs });
  if (over.length > 0) {
    await client.query(`delete from notification_condition where destination = $1 and key = any ($2)`, [
      destination,
      over,
    ]);
  }
  return [
    ...begun.map(({ event, subject, facts }) => ({ event, subject, facts, atMs: nowMs })),
    ...over.map((key) => ({ ...ended(key), over: true as const, atMs: nowMs })),
  ];
}

/** What can be said of a condition that is over, from its key alone. */
function ended(key: string): Pick<Note, 'event' | 'facts'> {
  const [event, what] = key.split(/:(.*)/s) as [NotificationEvent, string | undefined];
  return { event, facts: what === undefined ? {} : { what } };
}

async function beginConditions(
  client: ClientBase,
  workspaceId: string,
  of: {
    readonly destination: string;
    readonly begun: readonly Pick<Condition, 'key' | 'event'>[];
    readonly nowMs: number;
  },
): Promise<ReadonlySet<string>> {
  if (of.begun.length === 0) return new Set();
  const { rows } = await client.query<{ key: string }>(
    `insert into notification_condition (destination, workspace_id, since, key, event)
     select $1, $2, $3, * from unnest($4::text[], $5::text[]) on conflict do nothing returning key`,
    [
      of.destination,
      workspaceId,
      new Date(of.nowMs),
      of.begun.map(({ key }) => key),
      of.begun.map(({ event }) => event),
    ],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Alerts that reached the threshold and were not told; one that is decided may be told again if it is ever opened. */
async function alertNotes(
  round: Round,
  workspace: Workspace,
  { destination, alerts }: { readonly destination: Destination; readonly alerts: readonly AlertRow[] },
): Promise<readonly Told[]> {
  const { client, nowMs } = round;
  const wanted = destination.settings.events.alert;
  const key = ({ id }: AlertRow): string => `alert:${id}`;
  const closed = alerts.filter(({ state }) => state === 'closed').map(key);
  await client.query(`delete from notification_condition where destination = $1 and key = any ($2)`, [
    destination.id,
    closed,
  ]);
  if (wanted === undefined) return [];
  const reached = alerts.filter((alert) => alert.state === 'open' && reaches(alert, wanted));
  const begun = await beginConditions(client, workspace.id, {
    destination: destination.id,
    begun: reached.map((alert) => ({ key: key(alert), event: 'alert' })),
    nowMs,
  });
  const told: Told[] = [];
  for (const alert of reached.filter((one) => begun.has(key(one)))) told.push(await alertNote(round, workspace, alert));
  return told;
}

function reaches(
  { risk, amount, currency }: AlertRow,
  wanted: { readonly risk?: number; readonly amount?: number; readonly currency?: string },
): boolean {
  if (wanted.risk === undefined && wanted.amount === undefined) return true;
  if (wanted.risk !== undefined && risk >= wanted.risk) return true;
  const isCurrency = wanted.currency === undefined || wanted.currency === currency;
  return wanted.amount !== undefined && isCurrency && amount !== null && Number(amount) >= wanted.amount;
}

async function alertNote(round: Round, workspace: Workspace, alert: AlertRow): Promise<Told> {
  const { id, risk, amount, currency, reasons, subject } = alert;
  const client = await clientName(round, workspace, alert);
  return {
    event: 'alert',
    atMs: round.nowMs,
    subject: subject ?? undefined,
    facts: {
      alert: id,
      risk,
      rules: reasons,
      ...moneyOf(amount, currency),
      ...(client === undefined ? {} : { client: maskText(client) }),
    },
    ...(client === undefined ? {} : { clear: { client } }),
  };
}

async function clientName(
  round: Round,
  workspace: Workspace,
  { client, subject, first_offset: first }: AlertRow,
): Promise<string | undefined> {
  const key = await keyOf(round, workspace, subject);
  if (client === null || key === undefined) return undefined;
  return openUndamaged(key, client, clientPlace('alert', { workspaceId: workspace.id, subject }, first))?.toString();
}

/** What a person wants to hear of themselves, and the policies that they may approve. */
async function personalNotes(
  round: Round,
  workspace: Workspace,
  of: { readonly person: Person; readonly happened: readonly Happened[]; readonly conditions: WorkspaceConditions },
): Promise<readonly Note[]> {
  const { account, choice } = of.person;
  if (!isAllowed(account, 'see', workspace)) return [];
  const own = of.happened
    .filter(({ event, to }) => to.includes(account.id) && (event === 'mention' ? choice.mention : choice.assignment))
    .map((note) => noteOf(note, false));
  if (!choice.approval || !isAllowed(account, 'approve', workspace)) return own;
  const { rows } = await round.client.query<{ key: string }>(
    `select key from notification_condition where destination = $1 and workspace_id = $2`,
    [account.id, workspace.id],
  );
  const waiting = (await of.conditions.approvals()).filter(({ facts }) => facts['by'] !== account.email);
  const told = new Set(rows.map(({ key }) => key));
  const changes = await changesOf(round, workspace, { destination: account.id, told, present: waiting });
  return [...own, ...changes.filter(({ over }) => over !== true)];
}
