import type { Appended, EventLog, LogEntry } from '@ringfence/log';
import type { ClientBase } from 'pg';

/** Another process appended it already, or the row wants something else by now. */
class SupersededError extends Error {
  override readonly name = 'SupersededError';
}

/**
 * Appends an entry in one commit with its note.
 *
 * @param note returns false if the entry is no longer needed
 * @returns `undefined` if nothing was appended
 */
export async function appendNoted(
  log: Pick<EventLog, 'appendWith'>,
  { workspaceId, entry }: { readonly workspaceId: string; readonly entry: LogEntry },
  note: (client: ClientBase) => Promise<boolean>,
): Promise<Appended | undefined> {
  try {
    return await log.appendWith(workspaceId, entry, async (transaction) => {
      if (!(await note(transaction as ClientBase))) throw new SupersededError();
    });
  } catch (error) {
    if (error instanceof SupersededError) return undefined;
    throw error;
  }
}
