import type { Pool } from 'pg';

/** Kept actions that never arrived, by workspace; one without any is missing. */
export interface LostDeliveries {
  readonly dead: ReadonlyMap<string, number>;
  readonly expired: ReadonlyMap<string, number>;
}

/** For `readLostDeliveries`: its rows alone, so that a scrape reads no table of millions of arrived actions. */
export const lostActionsIndex = `
create index action_lost on action (workspace_id, state) where state in ('dead', 'expired');
`;

export async function readLostDeliveries(pool: Pool): Promise<LostDeliveries> {
  const { rows } = await pool.query<{ id: string; state: keyof LostDeliveries; count: number }>(
    `select workspace_id as id, state, count(*)::integer as count from action
      where state in ('dead', 'expired') group by workspace_id, state`,
  );
  const of = (wanted: keyof LostDeliveries): ReadonlyMap<string, number> =>
    new Map(rows.filter(({ state }) => state === wanted).map(({ id, count }) => [id, count]));
  return { dead: of('dead'), expired: of('expired') };
}
