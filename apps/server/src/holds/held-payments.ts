import { minuteMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import type { HeldPayments } from '../platform/observability/scraped-gauges.ts';

/** A person needs some minutes to look. */
const soonMs = 10 * minuteMs;
/** Ends that were never delivered count for a day: longer than any person takes to see the alert. */
const undeliveredMs = 24 * 60 * minuteMs;

/** The held payments of each workspace that has any, for the metrics. */
export async function readHeldPayments(pool: Pool, nowMs: number): Promise<ReadonlyMap<string, HeldPayments>> {
  const found = await pool.query<HeldPayments & { workspace_id: string }>(
    `select workspace_id, sum(open)::integer as open, sum(due)::integer as due, sum(undelivered)::integer as undelivered
       from (select workspace_id, count(*) as open,
                    count(*) filter (where due_at <= $1 and kept_because is null) as due, 0 as undelivered
               from hold where state = 'open' group by workspace_id
             union all
             select workspace_id, 0, 0, count(*) from action
              where resolves is not null and state in ('waiting', 'due', 'leased', 'notExecuted', 'dead', 'expired')
                and (finished_at is null or finished_at > $2)
              group by workspace_id) counted
      group by workspace_id`,
    [new Date(nowMs + soonMs), new Date(nowMs - undeliveredMs)],
  );
  return new Map(found.rows.map(({ workspace_id: id, open, due, undelivered }) => [id, { open, due, undelivered }]));
}
