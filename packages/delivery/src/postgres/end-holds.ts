import type { Pool } from 'pg';
import type { EndingReadiness } from '../outbox.ts';

/** Locks the asking action, so that no process leases it for its first attempt meanwhile. */
const readinessText = `
with hold as materialized (
  select id, state, attempts = 0 and not answered as unasked from action where id = $1 for update
), dropped as (
  update action a set state = 'dropped', finished_at = to_timestamp($2::float8 / 1000.0)
    from hold
   where a.id = hold.id and hold.unasked and hold.state in ('waiting', 'due', 'held')
  returning a.id
)
select case when h.id is null then 'send'
            when h.state in ('notExecuted', 'dropped', 'observed', 'notAddressable') then 'unneeded'
            when h.unasked and h.state <> 'leased' then 'unneeded'
            when h.state in ('waiting', 'due', 'leased', 'held') then 'wait'
            else 'send' end as readiness
  from (select 1) as one left join hold h on true left join dropped d on true`;

export async function endingReadiness(pool: Pool, holdId: string, nowMs: number): Promise<EndingReadiness> {
  const { rows } = await pool.query<{ readiness: EndingReadiness }>({
    name: 'action_readiness',
    text: readinessText,
    values: [holdId, nowMs],
  });
  return rows[0]!.readiness;
}

export async function noteAnswered(pool: Pool, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await pool.query({
    name: 'action_answered',
    text: `update action set answered = true where id = any ($1::text[]) and not answered`,
    values: [ids],
  });
}
