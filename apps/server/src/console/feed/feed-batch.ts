/**
 * One batch of the feed: in one transaction, so that every event is counted once.
 *
 *   event rows from the position on ---> entities, counts of what came
 *         | waiting                 \--> decisions
 *         v                              ^
 *   console_waiting ---(decided since)---'
 */
import type { EventLog, LogRecord } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { type ClientKeys, openRecordWhole, type WholeEvent } from '../../management/event-opener.ts';
import { readScattered } from '../../management/read-scattered.ts';
import type { SubjectKeys } from '../../subjects/subject-keys.ts';
import type { Workspace } from '../../workspaces/workspace.ts';
import { inTransaction } from '../../workspaces/workspace-deps.ts';
import { appendLive, type LiveEntry } from '../live/live-log.ts';
import { decisionEntries } from '../live/feed-live.ts';
import { putWarnings } from '../event-warning-counts.ts';
import { type Entities, entitiesOf, entityIndex, entityKinds } from '../entities.ts';
import { decidedWarnings, warningsOf } from './event-warnings.ts';
import type { FedEvent, FedRow } from './fed-event.ts';
import { Tally } from './tally.ts';

/** Some 30 ms of work: the thread has other things to do in between. */
const eventsMax = 500;

export interface FeedDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  /**
   * Called in the transaction with the decisions of the batch, in the order of their events.
   *
   * @returns what open pages are told of besides
   */
  readonly onDecided: (
    client: ClientBase,
    workspace: Workspace,
    decided: readonly FedEvent[],
  ) => Promise<readonly LiveEntry[]>;
}

/** Feeds what stands after the position. @returns whether there may be more */
export function feedBatch(deps: FeedDeps, workspace: Workspace): Promise<boolean> {
  return inTransaction(deps.pool, async (client) => {
    const from = await lockPosition(client, workspace.id);
    // Another process is at it.
    if (from === undefined) return false;
    const came = await readCame(client, workspace.id, from);
    const late = await takeLate(client, workspace.id);
    if (came.length === 0 && late.length === 0) return false;

    const fed = await openRows(deps, workspace, [...late, ...came]);
    const arrived = fed.slice(late.length);
    const decided = fed.filter(({ row }) => row.status !== 'waiting');
    const tally = new Tally();
    for (const event of arrived) count(tally, event);
    for (const { row } of decided) tally.addDecision(row);
    const warned = [
      ...arrived.flatMap((event) => warningsOf(workspace, event).map((code) => ({ code, event }))),
      ...decided.flatMap((event) => decidedWarnings(event).map((code) => ({ code, event }))),
    ];
    for (const { code, event } of warned) tally.add(event.row.logged_at.getTime(), 'warning', code);
    await putEntities(client, workspace, arrived);
    await putWarnings(client, workspace.id, warned);
    await putCounts(client, workspace.id, tally);
    await putWaiting(client, workspace.id, arrived);
    const more = await deps.onDecided(client, workspace, decided);
    const last = came.at(-1);
    if (last !== undefined) {
      await client.query(`update console_position set next_offset = $2 where workspace_id = $1`, [
        workspace.id,
        last.offset + 1,
      ]);
    }
    await appendLive(client, workspace.id, [...decisionEntries(decided), ...more]);
    return came.length === eventsMax || late.length === eventsMax;
  });
}

async function lockPosition(client: ClientBase, workspaceId: string): Promise<number | undefined> {
  await client.query(`insert into console_position (workspace_id) values ($1) on conflict do nothing`, [workspaceId]);
  const locked = await client.query<{ next_offset: number }>(
    `select next_offset from console_position where workspace_id = $1 for update skip locked`,
    [workspaceId],
  );
  return locked.rows[0]?.next_offset;
}

const columns = `e."offset", e.epoch, e.kind, e.subject, e.logged_at, e.status, e.fired, e.shadow, e.mismatch, e.detail, e.channel_id`;

async function readCame(client: ClientBase, workspaceId: string, from: number): Promise<readonly FedRow[]> {
  const found = await client.query<FedRow>({
    name: 'feed_came',
    text: `select ${columns} from event e where e.workspace_id = $1 and e."offset" >= $2 order by e."offset" limit ${eventsMax}`,
    values: [workspaceId, from],
  });
  return found.rows;
}

/** Events that waited when they came and are decided now. */
async function takeLate(client: ClientBase, workspaceId: string): Promise<readonly FedRow[]> {
  const found = await client.query<FedRow>({
    name: 'feed_late',
    text: `with late as (
             delete from console_waiting w using event e
              where w.workspace_id = $1 and e.workspace_id = $1 and e."offset" = w."offset" and e.status <> 'waiting'
                and w."offset" in (select "offset" from console_waiting where workspace_id = $1 order by "offset" limit ${eventsMax})
             returning w."offset")
           select ${columns} from event e where e.workspace_id = $1 and e."offset" in (select "offset" from late)
            order by e."offset"`,
    values: [workspaceId],
  });
  return found.rows;
}

async function openRows(deps: FeedDeps, workspace: Workspace, rows: readonly FedRow[]): Promise<readonly FedEvent[]> {
  const keys = await deps.subjects.bySubject(workspace, [...new Set(rows.flatMap(({ subject }) => subject ?? []))]);
  const offsets = rows.map(({ offset }) => offset);
  const records = await readScattered(deps.log, workspace.id, offsets);
  return rows.map((row) => ({ row, opened: openOne(workspace, { row, record: records.get(row.offset) }, keys), keys }));
}

function openOne(
  workspace: Workspace,
  of: { readonly row: FedRow; readonly record: LogRecord | undefined },
  keys: ClientKeys,
): WholeEvent | undefined {
  const { row, record } = of;
  return record === undefined ? undefined : openRecordWhole(workspace, { record, kind: row.kind }, keys);
}

function count(tally: Tally, { row, opened }: FedEvent): void {
  const atMs = row.logged_at.getTime();
  tally.add(atMs, 'event', row.kind);
  if (row.channel_id !== null) tally.add(atMs, 'channel', row.channel_id);
  const country = opened?.facts['ip.country'];
  if (typeof country === 'string') tally.add(atMs, 'country', country);
  const platform = opened?.facts['device.platform'];
  if (typeof platform === 'string') tally.add(atMs, 'device', platform);
}

async function putEntities(client: ClientBase, workspace: Workspace, came: readonly FedEvent[]): Promise<void> {
  const rows = came.map(({ row, opened }) => {
    const entities: Entities = opened === undefined ? {} : entitiesOf(opened.event, opened.facts);
    const indexes = entityKinds.map((kind) => {
      const value = entities[kind];
      return value === undefined ? null : entityIndex(workspace.secrets.index, kind, value);
    });
    const order = opened?.event.kind === 'operation' ? opened.event.order : undefined;
    const { offset, channel_id: channel } = row;
    return { offset, channel, indexes, amount: order?.amount ?? null, currency: order?.currency ?? null, entities };
  });
  if (rows.length === 0) return;
  await client.query({
    name: 'feed_entities',
    text: `insert into event_entity (workspace_id, "offset", device, ip, account, payee, reference, amount, currency,
                                     channel)
           select $1, * from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[],
                                    $8::numeric[], $9::text[], $10::integer[])
           on conflict do nothing`,
    values: [
      workspace.id,
      rows.map(({ offset }) => offset),
      ...entityKinds.map((_, i) => rows.map(({ indexes }) => indexes[i])),
      rows.map(({ amount }) => amount),
      rows.map(({ currency }) => currency),
      rows.map(({ channel }) => channel),
    ],
  });
  const banks = new Set(rows.flatMap(({ entities }) => [bankOf(entities.account), bankOf(entities.payee)]));
  await putBanks(
    client,
    workspace.id,
    [...banks].filter((bank) => bank !== undefined),
  );
}

function bankOf(account: string | undefined): string | undefined {
  return account?.slice(0, account.indexOf('/'));
}

/** Banks that are kept to look for an account by its number; a bank's clients pay to some hundred others. */
const banksMax = 1_000;

async function putBanks(client: ClientBase, workspaceId: string, banks: readonly string[]): Promise<void> {
  if (banks.length === 0) return;
  await client.query({
    name: 'feed_banks',
    text: `insert into console_bank (workspace_id, bank)
           select $1, b from unnest($2::text[]) b
            where length(b) <= 64 and (select count(*) from console_bank where workspace_id = $1) < ${banksMax}
               and not exists (select 1 from console_bank k where k.workspace_id = $1 and k.bank = b)
           on conflict do nothing`,
    values: [workspaceId, banks],
  });
}

async function putCounts(client: ClientBase, workspaceId: string, tally: Tally): Promise<void> {
  const rows = tally.rows();
  if (rows.length === 0) return;
  await client.query({
    name: 'feed_counts',
    text: `insert into console_count as c (workspace_id, span, at, name, key, count)
           select $1, r.span, to_timestamp(r.at_s), r.name, r.key, r.count
             from unnest($2::integer[], $3::float8[], $4::text[], $5::text[], $6::bigint[]) as r(span, at_s, name, key, count)
           on conflict (workspace_id, span, at, name, key) do update set count = c.count + excluded.count`,
    values: [
      workspaceId,
      rows.map(({ span }) => span),
      rows.map(({ atMs }) => atMs / 1_000),
      rows.map(({ name }) => name),
      rows.map(({ key }) => key),
      rows.map(({ count }) => count),
    ],
  });
}

async function putWaiting(client: ClientBase, workspaceId: string, came: readonly FedEvent[]): Promise<void> {
  const waiting = came.filter(({ row }) => row.status === 'waiting').map(({ row }) => row.offset);
  if (waiting.length === 0) return;
  await client.query(
    `insert into console_waiting (workspace_id, "offset") select $1, unnest($2::bigint[]) on conflict do nothing`,
    [workspaceId, waiting],
  );
}
