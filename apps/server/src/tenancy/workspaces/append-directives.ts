import type { EventLog, LogEntry } from '@ringfence/log';
import type { ClientBase } from 'pg';

/** Directives that one call brings into the log: what more there is waits for the next. */
const appendedMax = 1_000;

/**
 * Appends what the log does not hold yet, in the order in which it was given. Call under the lock of `agree`. An end
 * between two of them appends the second one again, which changes nothing.
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
  for (const { id, kind, subject, payload } of found.rows) {
    await log.append(workspaceId, { kind, ...(subject === null ? {} : { subject }), payload });
    await client.query(`update directive set appended = true where workspace_id = $1 and id = $2`, [workspaceId, id]);
  }
  return found.rows.length;
}
