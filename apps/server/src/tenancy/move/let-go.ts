import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** An owner looks once a second, and then writes a checkpoint. */
const ownerMsMax = 60_000;
/** An attempt that is under way may last this long; what is still open then is sent again, with the same webhook-id. */
const attemptsMsMax = 12_000;
const lookEveryMs = 50;

/**
 * Has all processes let go of a workspace that is about to move: its owner writes a checkpoint and releases it, no action is
 * leased, and its backtest ends. Then this connection, `locks`, holds its partition, so that no process decides it.
 * Events are still accepted.
 *
 * @throws OperatorError if its owner does not let go
 */
export async function letGo(
  { source, locks }: { readonly source: Client; readonly locks: Client },
  id: string,
): Promise<void> {
  await source.query(`update workspace_leaving set released = true where workspace_id = $1`, [id]);
  await source.query(
    `update backtest set state = 'failed', ended_at = now(), error = 'The workspace moved to another database. Start it again.'
      where workspace_id = $1 and state = 'running'`,
    [id],
  );
  const takeLock = `select pg_try_advisory_lock(hashtextextended('ringfence.partition.' || $1, 0)) as is`;
  if (!(await until(locks, { sql: takeLock, id, msMax: ownerMsMax }))) {
    const owner = await source.query<{ process: string }>(
      `select process from partition_owner where workspace_id = $1`,
      [id],
    );
    throw new OperatorError(
      `The process ${owner.rows[0]?.process ?? '?'} does not let go of the workspace.`,
      'It may be of an older release, or stopped. End it, and start the move again: it goes on where it was.',
    );
  }
  const noneLeased = `select not exists (select from action where workspace_id = $1 and state = 'leased' and due_at > now()) as is`;
  await until(source, { sql: noneLeased, id, msMax: attemptsMsMax });
}

async function until(
  client: Client,
  { sql, id, msMax }: { readonly sql: string; readonly id: string; readonly msMax: number },
): Promise<boolean> {
  const untilMs = performance.now() + msMax;
  for (;;) {
    const { rows } = await client.query<{ is: boolean }>(sql, [id]);
    if (rows[0]!.is) return true;
    if (performance.now() >= untilMs) return false;
    await sleep(lookEveryMs);
  }
}
