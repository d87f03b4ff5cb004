import type { ClientBase, Pool } from 'pg';
import type { LeasedAction } from '../action.ts';
import { probeEveryMs } from '../breaker.ts';
import { type LeasePlaces, leaseMs } from '../outbox.ts';
import { coreColumns, type CoreRow, coreOf } from './action-row.ts';

/*
 * Both statements reach the rows through `= any (array (...))`, so that the planner uses the primary key whatever its
 * size estimates are. The inner scan walks `action_queue` from the longest due and stops at the last place. An endpoint
 * whose row is locked is skipped and probed next time; waiting for one lock while holding another could deadlock.
 */
const leased = `state = 'leased', token = a.token + 1, due_at = now.at + ${leaseMs} * interval '1 millisecond'`;
/**
 * A round has at most as many attempts as the longest schedule. Most actions have none, and these are not looked up.
 */
const roundNotExecuted = `case when a.round = 0 then 0 else (
  select count(*) from attempt t
   where t.action_id = a.id and t.number > a.attempts - a.round and t.result = 'notExecuted') end::integer`;
const leasedColumns = `${coreColumns}, a.expires_at, a.attempts, a.round, ${roundNotExecuted} as round_not_executed,
  a.token, a.urgent, a.seq`;
const isDue = `q.state in ('due', 'leased') and q.due_at <= now.at and q.expires_at > now.at`;
const isPaused = (workspaceId: string): string =>
  `exists (select 1 from delivery_pause d where d.scope in ('*', ${workspaceId}))`;

const leaseText = `
with now as (select to_timestamp($4::float8 / 1000.0) as at),
places as (
  select p.workspace_id, p.urgent, p.places
    from unnest($1::text[], $2::boolean[], $3::integer[]) as p (workspace_id, urgent, places)
    left join endpoint e on e.workspace_id = p.workspace_id
   where coalesce(e.state, 'closed') = 'closed' and not ${isPaused('p.workspace_id')}
),
picked as (
  select due.id from now, places p
   cross join lateral (
     select q.id from action q
      where q.workspace_id = p.workspace_id and q.urgent = p.urgent and ${isDue}
      order by q.due_at, q.seq limit p.places for update skip locked
   ) due
)
update action a set ${leased} from now where a.id = any (array (select id from picked))
returning ${leasedColumns}`;

const probeText = `
with now as (select to_timestamp($2::float8 / 1000.0) as at),
due_probes as (
  select e.workspace_id from now, endpoint e
   where e.workspace_id = any ($1::text[]) and e.state = 'open'
     and (e.probe_at <= now.at or e.probe_at - now.at > ${probeEveryMs} * interval '1 millisecond')
     and not ${isPaused('e.workspace_id')}
     and (exists (select 1 from action q where q.workspace_id = e.workspace_id and q.urgent and ${isDue})
       or exists (select 1 from action q where q.workspace_id = e.workspace_id and not q.urgent and ${isDue}))
     for update of e skip locked
),
probed as (
  update endpoint e set probe_at = now.at + ${probeEveryMs} * interval '1 millisecond' from now
   where e.workspace_id = any (array (select workspace_id from due_probes))
  returning e.workspace_id
),
picked as (
  select first.id from probed p
   cross join lateral (
     select due.id from now, (values (true), (false)) as kind (urgent)
      cross join lateral (
        select q.id from action q
         where q.workspace_id = p.workspace_id and q.urgent = kind.urgent and ${isDue}
         order by q.due_at, q.seq limit 1 for update skip locked
      ) due
      order by kind.urgent desc limit 1
   ) first
)
update action a set ${leased} from now where a.id = any (array (select id from picked))
returning ${leasedColumns}`;

interface LeasedRow extends CoreRow {
  readonly expires_at: Date;
  readonly attempts: number;
  readonly round: number;
  readonly round_not_executed: number;
  readonly token: string;
  readonly urgent: boolean;
  readonly seq: string;
}

export async function leaseActions(
  client: ClientBase | Pool,
  places: readonly LeasePlaces[],
  nowMs: number,
): Promise<readonly LeasedAction[]> {
  const asked = places
    .flatMap(({ workspaceId, urgent, ordinary }) => [
      { workspaceId, urgent: true, places: urgent },
      { workspaceId, urgent: false, places: ordinary },
    ])
    .filter((one) => one.places > 0);
  if (asked.length === 0) return [];
  const { rows } = await client.query<LeasedRow>({
    name: 'action_lease',
    text: leaseText,
    values: [
      asked.map((one) => one.workspaceId),
      asked.map((one) => one.urgent),
      asked.map((one) => one.places),
      nowMs,
    ],
  });
  return inOrder(rows).map((row) => leasedOf(row, false));
}

export async function leaseProbes(
  client: ClientBase | Pool,
  workspaceIds: readonly string[],
  nowMs: number,
): Promise<readonly LeasedAction[]> {
  if (workspaceIds.length === 0) return [];
  const { rows } = await client.query<LeasedRow>({
    name: 'action_probe',
    text: probeText,
    values: [workspaceIds, nowMs],
  });
  return inOrder(rows).map((row) => leasedOf(row, true));
}

/** Urgent ones first, then in the order of insertion: `returning` guarantees no order. */
function inOrder(rows: readonly LeasedRow[]): readonly LeasedRow[] {
  return rows.toSorted((a, b) => Number(b.urgent) - Number(a.urgent) || Number(a.seq) - Number(b.seq));
}

function leasedOf(row: LeasedRow, probe: boolean): LeasedAction {
  return {
    ...coreOf(row),
    expiresAtMs: row.expires_at.getTime(),
    attempts: row.attempts,
    round: row.round,
    roundNotExecuted: row.round_not_executed,
    token: Number(row.token),
    probe,
  };
}
