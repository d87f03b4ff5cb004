import type { Pool } from 'pg';
import type { OpenOutcomes } from '../platform/observability/scraped-gauges.ts';

/** The reports of each workspace that are not matched with an event, for the metrics; by an index of only these. */
export async function countOpenOutcomes(pool: Pool): Promise<ReadonlyMap<string, OpenOutcomes>> {
  const { rows } = await pool.query<OpenOutcomes & { readonly workspace_id: string }>(
    `select workspace_id, count(*) filter (where state = 'waiting')::integer as waiting,
            count(*) filter (where state = 'unmatched')::integer as unmatched
       from outcome_report where state <> 'matched' group by workspace_id`,
  );
  return new Map(rows.map(({ workspace_id: id, waiting, unmatched }) => [id, { waiting, unmatched }]));
}
