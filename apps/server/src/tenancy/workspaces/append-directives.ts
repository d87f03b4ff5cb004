import { type EventLog, fenceAppends, type LogEntry } from '@ringfence/log';
import type { ClientBase } from 'pg';

/** Directives that one call brings into the log: what more there is waits for the next. */
const appendedMax = 1_000;

/**
 * Appends the directives that the log does not hold yet, in their order. Call under the lock of `agree`. A crash between an
 * append and its note appends that one again, which changes nothing: an append of a process that lost the lock is fenced
 * off before, so that no older directive lands behind a newer one.
 *
 * @throws StaleGenerationError as `appendPolicy`
 */
export async function appendDirectives(
  log: Pick<EventLog, 'append'>,
  client: ClientBase,
  workspaceId: string,
): Promise<number> {
  const found = await client.query<{ id: number; kind: LogEntry['kind']; subject: string | null; payload: Buffer }>(
    `select id, kind, subject, payload from directive
      where workspace_id = $1 and not appended order by id limit ${appendedMax}`,
    [workspaceId],
  );
  if (found.rows.length === 0) return 0;
  const generation = await fenceAppends(client, workspaceId);
  for (const { id, kind, subject, payload } of found.rows) {
    await log.append(workspaceId, { kind, ...(subject === null ? {} : { subject }), payload }, generation);
    await client.query(`update directive set appended = true where workspace_id = $1 and id = $2`, [workspaceId, id]);
  }
  return found.rows.length;
}
