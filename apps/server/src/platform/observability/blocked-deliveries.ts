import { type Deliveries, isPauseOf } from '@ringfence/delivery';
import type { Pool } from 'pg';

/** The workspaces whose actions are not being sent, by id. */
export interface BlockedDeliveries {
  /** The circuit breaker of their webhook is open, or the webhook is disabled. */
  readonly failing: ReadonlySet<string>;
  /** A person paused them. */
  readonly paused: ReadonlySet<string>;
}

export async function readBlockedDeliveries(
  pool: Pool,
  outbox: Pick<Deliveries, 'pauses'>,
): Promise<BlockedDeliveries> {
  const [all, failing, pauses] = await Promise.all([
    pool.query<{ id: string }>(`select id from workspace where placement = 'here'`),
    pool.query<{ id: string }>(`select workspace_id as id from endpoint where state <> 'closed'`),
    outbox.pauses(),
  ]);
  const isPaused = (id: string): boolean => pauses.some((pause) => isPauseOf(pause, id));
  return {
    failing: new Set(failing.rows.map(({ id }) => id)),
    paused: new Set(all.rows.map(({ id }) => id).filter(isPaused)),
  };
}
