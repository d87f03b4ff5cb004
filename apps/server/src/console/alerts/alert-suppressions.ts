import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';

/** Suppresses alerts of a client, of one rule or of all, for a while. */
export interface AlertSuppression {
  readonly id: string;
  readonly subject: string;
  readonly reason: number | undefined;
  readonly untilMs: number;
  readonly why: string;
  readonly madeBy: string;
  readonly madeAtMs: number;
}

/** Most suppressions in a list: those that end last. */
const listedMax = 500;

export async function addAlertSuppression(
  client: ClientBase,
  workspaceId: string,
  suppression: Omit<AlertSuppression, 'id'>,
): Promise<AlertSuppression> {
  const { subject, reason, untilMs, why, madeBy, madeAtMs } = suppression;
  const id = `sup_${randomId(12)}`;
  await client.query(
    `insert into alert_suppression (workspace_id, id, subject, reason, until, why, made_by, made_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [workspaceId, id, subject, reason ?? null, new Date(untilMs), why, madeBy, new Date(madeAtMs)],
  );
  return { id, ...suppression };
}

/** Suppressions in force. */
export async function listAlertSuppressions(
  pool: Pool,
  workspaceId: string,
  nowMs: number,
): Promise<readonly AlertSuppression[]> {
  const found = await pool.query<{
    id: string;
    subject: string;
    reason: number | null;
    until: Date;
    why: string;
    made_by: string;
    made_at: Date;
  }>(`select * from alert_suppression where workspace_id = $1 and until > $2 order by until desc limit ${listedMax}`, [
    workspaceId,
    new Date(nowMs),
  ]);
  return found.rows.map((row) => ({
    id: row.id,
    subject: row.subject,
    reason: row.reason ?? undefined,
    untilMs: row.until.getTime(),
    why: row.why,
    madeBy: row.made_by,
    madeAtMs: row.made_at.getTime(),
  }));
}

/** Ends a suppression now. @throws Problem `thing.unknown` */
export async function endAlertSuppression(
  pool: Pool,
  workspaceId: string,
  of: { readonly id: string; readonly nowMs: number },
): Promise<void> {
  const ended = await pool.query(
    `update alert_suppression set until = $3 where workspace_id = $1 and id = $2 and until > $3`,
    [workspaceId, of.id, new Date(of.nowMs)],
  );
  if (ended.rowCount === 0) throw new Problem('thing.unknown', `There is no suppression ${of.id} in force.`);
}
