/**
 * The outbox of notifications, with the rules of the webhook's:
 *
 *     due --lease--> leased --answered--> sent
 *      ^               |  \--no schedule left, too old--> dead
 *      '--retry, lost--'   \--nothing left to say, its receiver is gone--> dropped
 *
 * One message of a destination is under way at a time, so its receiver gets them in order. A message that is repeated
 * has the same id. Things are added to a message until it is leased for the first time: that is how a digest and quiet
 * hours collect.
 */
import { dayMs } from '@ringfence/contract';
import { type BreakerTable, foldHealthInto, type Health, leaseMs, lifetimeMs, probeEveryMs } from '@ringfence/delivery';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../platform/database/transactions.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import { openUndamaged, type Place, seal } from '../platform/secrets/seal.ts';
import { clientPlace, keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { DestinationKind, NotificationEvent } from './notification-settings.ts';

/** Items of one message: a page of text. */
const itemsMax = 50;
/** Messages leased at a time, of different destinations. */
const leasedMax = 16;
/** How long messages are kept after they were sent, to answer questions. */
const keptMs = 30 * dayMs;
/** The schedule of a message to a person, and its lifetime: a day. */
const messageAction = 3;

const idLength = 20;

export const breakers: BreakerTable = { table: 'notification_endpoint', key: 'destination' };

/** What is told of an event. Personal values are already masked, unless the destination gets them in clear. */
export interface Note {
  readonly event: NotificationEvent | 'test';
  /** It is over. */
  readonly over?: true;
  readonly atMs: number;
  /** The client that it is about. */
  readonly subject?: string | undefined;
  readonly facts: Facts;
}

/** Values of a note by name: those that `message-text.ts` prints. */
export type Facts = Readonly<Record<string, string | number | readonly number[]>>;

/** To whom a note goes, and when. */
export interface Recipient {
  /** The id of a destination, or of an account. */
  readonly destination: string;
  readonly kind: DestinationKind;
  readonly dueAtMs: number;
}

/**
 * Adds notes to the outbox, in the caller's transaction. Those of an erased client are left out.
 *
 * @returns the number of messages that were begun
 */
export async function putNotes(
  {
    client,
    subjects,
    nowMs,
  }: { readonly client: ClientBase; readonly subjects: Pick<SubjectKeys, 'bySubject'>; readonly nowMs: number },
  workspace: Workspace,
  of: { readonly to: Recipient; readonly notes: readonly Note[] },
): Promise<void> {
  const { to } = of;
  const keys = await subjects.bySubject(workspace, subjectsIn(of.notes));
  const notes = of.notes.filter(({ subject }) => keyAmong(keys, workspace, subject) !== undefined);
  let open = await openMessage(client, to, nowMs);
  for (let from = 0; from < notes.length;) {
    open ??= await beginMessage(client, workspace.id, { to, nowMs });
    const some = notes.slice(from, from + itemsMax - open.items);
    const sealed = some.map((note, at) => {
      const place = notificationPlace(workspace.id, {
        id: open!.id,
        position: open!.items + at,
        subject: note.subject,
      });
      const { event: _, subject: __, ...content } = note;
      return seal(keyAmong(keys, workspace, note.subject)!, Buffer.from(JSON.stringify(content)), place);
    });
    await client.query(
      `insert into notification_item (notification_id, position, event, subject, sealed)
       select $1, * from unnest($2::integer[], $3::text[], $4::text[], $5::bytea[])`,
      [
        open.id,
        some.map((_, at) => open!.items + at),
        some.map(({ event }) => event),
        some.map(({ subject }) => subject ?? null),
        sealed,
      ],
    );
    from += some.length;
    open = undefined;
  }
}

export function notificationPlace(
  workspaceId: string,
  {
    id,
    position,
    subject,
  }: { readonly id: string; readonly position: number; readonly subject?: string | null | undefined },
): Place {
  return clientPlace('notification', { workspaceId, subject }, `${id}:${position}`);
}

interface OpenMessage {
  readonly id: string;
  readonly items: number;
}

/** The message of this destination that still collects, if there is one with room. */
async function openMessage(client: ClientBase, to: Recipient, nowMs: number): Promise<OpenMessage | undefined> {
  const { rows } = await client.query<OpenMessage>(
    `with collecting as (
       select id from notification
        where destination = $1 and state = 'due' and token = 0 and due_at > $2 order by seq desc limit 1 for update)
     select id, (select coalesce(max(position) + 1, 0) from notification_item i where i.notification_id = c.id) as items
       from collecting c`,
    [to.destination, new Date(nowMs)],
  );
  return rows[0] !== undefined && rows[0].items < itemsMax ? rows[0] : undefined;
}

async function beginMessage(
  client: ClientBase,
  workspaceId: string,
  { to, nowMs }: { readonly to: Recipient; readonly nowMs: number },
): Promise<OpenMessage> {
  const id = `ntf_${randomId(idLength)}`;
  await client.query(
    `insert into notification (id, workspace_id, destination, kind, made_at, due_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      workspaceId,
      to.destination,
      to.kind,
      new Date(nowMs),
      new Date(to.dueAtMs),
      new Date(to.dueAtMs + lifetimeMs(messageAction)),
    ],
  );
  return { id, items: 0 };
}

/** A message that this process may send until its lease ends. */
export interface LeasedNotification {
  readonly id: string;
  readonly workspaceId: string;
  readonly destination: string;
  readonly kind: DestinationKind;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  readonly attempts: number;
  readonly token: number;
}

/**
 * Leases the longest due message of each destination that has none under way, is not paused, and whose breaker is
 * closed or to be probed.
 */
export async function leaseNotifications(pool: Pool, nowMs: number): Promise<readonly LeasedNotification[]> {
  const { rows } = await pool.query<
    Omit<LeasedNotification, 'madeAtMs' | 'expiresAtMs'> & { made_at: Date; expires_at: Date }
  >({
    name: 'notification_lease',
    text: `
with now as (select to_timestamp($1::float8 / 1000.0) as at),
waiting as (
  select q.destination, min(q.due_at) as due_at from now, notification q
   where q.state in ('due', 'leased') and q.due_at <= now.at group by q.destination
),
ready as (
  select w.destination from now, waiting w
    left join notification_endpoint e on e.destination = w.destination
    left join notification_destination d on d.id = w.destination
   where d.paused_at is null
     and (coalesce(e.state, 'closed') = 'closed'
          or (e.state = 'open' and (e.probe_at <= now.at or e.probe_at - now.at > ${probeEveryMs} * interval '1 millisecond')))
     and not exists (select 1 from notification l where l.destination = w.destination and l.state = 'leased' and l.due_at > now.at)
   order by w.due_at limit ${leasedMax}
),
picked as (
  select first.id, first.destination from now, ready r
   cross join lateral (
     select q.id, q.destination from notification q
      where q.destination = r.destination and q.state in ('due', 'leased') and q.due_at <= now.at
      order by q.due_at, q.seq limit 1 for update skip locked) first
),
probed as (
  update notification_endpoint e set probe_at = now.at + ${probeEveryMs} * interval '1 millisecond' from now
   where e.state = 'open' and e.destination = any (array (select destination from picked))
)
update notification n
   set state = 'leased', token = n.token + 1, due_at = now.at + ${leaseMs} * interval '1 millisecond'
  from now where n.id = any (array (select id from picked))
returning n.id, n.workspace_id as "workspaceId", n.destination, n.kind, n.made_at, n.expires_at, n.attempts, n.token`,
    values: [nowMs],
  });
  return rows.map(({ made_at: madeAt, expires_at: expiresAt, ...row }) => ({
    ...row,
    madeAtMs: madeAt.getTime(),
    expiresAtMs: expiresAt.getTime(),
  }));
}

/** What a message says; without what was about clients that were erased meanwhile. */
export async function readNotes(
  { pool, subjects }: { readonly pool: Pool; readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  id: string,
): Promise<readonly Note[]> {
  const { rows } = await pool.query<{
    position: number;
    event: NotificationEvent;
    subject: string | null;
    sealed: Buffer;
  }>(`select position, event, subject, sealed from notification_item where notification_id = $1 order by position`, [
    id,
  ]);
  const keys = await subjects.bySubject(workspace, subjectsIn(rows));
  return rows.flatMap(({ position, event, subject, sealed }) => {
    const key = keyAmong(keys, workspace, subject);
    const opened = key && openUndamaged(key, sealed, notificationPlace(workspace.id, { id, position, subject }));
    if (opened === undefined) return [];
    return [{ event, ...(JSON.parse(opened.toString()) as Omit<Note, 'event'>), subject: subject ?? undefined }];
  });
}

/** How a lease ended. Without `health`, nothing was sent, or it says nothing about the receiver. */
export interface NotificationEnd {
  readonly lease: LeasedNotification;
  readonly attempted: boolean;
  readonly health: Health | undefined;
  readonly failure: string | undefined;
  readonly next: { readonly state: 'sent' | 'dead' | 'dropped' } | { readonly state: 'due'; readonly dueAtMs: number };
}

/** The state of a destination's breaker changed. */
export interface DestinationTurn {
  readonly destination: string;
  readonly state: 'closed' | 'open' | 'disabled';
}

/** Ends a lease; under a lost one nothing changes. */
export function endLease(pool: Pool, end: NotificationEnd, nowMs: number): Promise<readonly DestinationTurn[]> {
  const { lease, attempted, health, failure, next } = end;
  return inTransaction(pool, async (client) => {
    const ended = await client.query(
      `update notification
          set state = $3, due_at = $4, attempts = attempts + $5, failure = coalesce($6, failure), finished_at = $7
        where id = $1 and token = $2 and state = 'leased'`,
      [
        lease.id,
        lease.token,
        next.state,
        new Date(next.state === 'due' ? next.dueAtMs : nowMs),
        attempted ? 1 : 0,
        failure ?? null,
        next.state === 'due' ? null : new Date(nowMs),
      ],
    );
    if (ended.rowCount === 0 || health === undefined) return [];
    const turns = await foldHealthInto(client, breakers, new Map([[lease.destination, [health]]]));
    return turns.map(({ key, after }) => ({ destination: key, state: after.state }));
  });
}

/** Ends what is too old to be sent, and removes what ended a month ago. */
export async function tidyNotifications(pool: Pool, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  await pool.query(
    `update notification set state = 'dead', failure = coalesce(failure, 'expired'), finished_at = $1
      where state in ('due', 'leased') and due_at <= $1 and expires_at <= $1`,
    [now],
  );
  await pool.query(
    `delete from notification where id = any (array (
       select id from notification where finished_at < $1 order by finished_at limit 1000))`,
    [new Date(nowMs - keptMs)],
  );
}

/** What waits and what was lost, by kind of destination, for the metrics. */
export interface WaitingNotifications {
  readonly kind: DestinationKind;
  /** To be sent now or earlier. */
  readonly waiting: number;
  /** How long the oldest of them has been due. */
  readonly oldestMs: number;
  readonly dead: number;
}

export async function countNotifications(pool: Pool, nowMs: number): Promise<readonly WaitingNotifications[]> {
  const { rows } = await pool.query<WaitingNotifications>(
    `select k.kind, coalesce(w.waiting, 0)::integer as waiting,
            greatest(0, extract(epoch from $1::timestamptz - w.oldest) * 1000)::float8 as "oldestMs",
            (select count(*)::integer from notification d where d.state = 'dead' and d.kind = k.kind) as dead
       from (values ('http'), ('slack'), ('teams'), ('email')) as k(kind)
       left join (select kind, count(*) as waiting, min(expires_at) - interval '${lifetimeMs(messageAction)} milliseconds' as oldest
                    from notification where state in ('due', 'leased')
                     and expires_at <= $1::timestamptz + interval '${lifetimeMs(messageAction)} milliseconds' group by kind) w
         using (kind) order by k.kind`,
    [new Date(nowMs)],
  );
  return rows.map((row) => ({ ...row, oldestMs: row.oldestMs ?? 0 }));
}

/** How a destination fares, for people. */
export interface DestinationHealth {
  readonly waiting: number;
  readonly dead: number;
  readonly lastSentAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined;
}

/** Messages that a person looks back on: the newest of each destination. */
const lookedMax = 200;

export async function readDestinationHealth(pool: Pool, id: string): Promise<DestinationHealth> {
  const { rows } = await pool.query<{
    waiting: number;
    dead: number;
    sent: Date | null;
    failed: Date | null;
    failure: string | null;
  }>(
    `with newest as materialized (
       select state, made_at, finished_at, failure from notification where destination = $1 order by seq desc limit ${lookedMax})
     select count(*) filter (where state in ('due', 'leased'))::integer as waiting,
            count(*) filter (where state = 'dead')::integer as dead,
            max(finished_at) filter (where state = 'sent') as sent,
            max(made_at) filter (where failure is not null) as failed,
            (select failure from newest where failure is not null order by made_at desc limit 1) as failure
       from newest`,
    [id],
  );
  const { waiting, dead, sent, failed, failure } = rows[0]!;
  return {
    waiting,
    dead,
    lastSentAtMs: sent?.getTime(),
    lastFailure: failure === null ? undefined : { atMs: failed!.getTime(), reason: failure },
  };
}
