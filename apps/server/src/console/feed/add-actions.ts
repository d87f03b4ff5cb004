import type { Pool } from 'pg';

/**
 * Adds changes of actions to the counts by minute and by hour, for all workspaces. One process at a time: what it
 * removes and what it adds become visible in the same instant.
 */
export async function addActions(pool: Pool): Promise<void> {
  await pool.query({
    name: 'feed_add_actions',
    text: `with changed as (
             delete from console_action
              where (select pg_try_advisory_xact_lock(hashtextextended('ringfence.console_action', 0)))
             returning workspace_id, at, state, count
           )
           insert into console_count as c (workspace_id, span, at, name, key, count)
           select workspace_id, span, date_bin(make_interval(secs => span), at, 'epoch'), 'action', state, sum(count)
             from changed, (values (60), (3600)) as s(span)
            group by 1, 2, 3, 5 having sum(count) <> 0 order by 1, 2, 3, 5
           on conflict (workspace_id, span, at, name, key) do update set count = c.count + excluded.count`,
  });
}
