import { type EventLog, fenceAppends, type LogEntry } from '@ringfence/log';
import type { ClientBase } from 'pg';

/** The most directives that one call appends to the log; the others wait for the next call. */
const appendedMax = 1_000;

/**
 * Appends directives that are not in the log yet, in the order in which they were stored. Call it under the lock of
 * `agree`. A crash may append a directive twice, which changes nothing.
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
