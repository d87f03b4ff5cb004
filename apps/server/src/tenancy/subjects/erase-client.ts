import type { EventLog } from '@ringfence/log';
import type { ClientBase } from 'pg';
import { subjectOfClient, type SubjectKeys, unknownClient } from './subject-keys.ts';
import type { Workspace } from '../workspaces/workspace.ts';

export interface EraseDeps {
  readonly log: Pick<EventLog, 'appendFenced'>;
  readonly subjects: Pick<SubjectKeys, 'find' | 'refresh'>;
}

/** Retries after a deadlock with a base snapshot that is being written and locks the same client's rows. */
const triesMax = 3;

/** Another process erased the client between the look-up and the append: the append is rolled back. */
class ErasedMeanwhile extends Error {
  override readonly name = 'ErasedMeanwhile';
}

/**
 * Erases a client. Its key and index are deleted in the same commit as the `erase` record, and everything encrypted
 * under the key becomes unreadable, including copies. Afterwards no event encrypted under the old key can be appended.
 * If the client sends events again, it is a new client.
 *
 * @returns the random id that was erased
 * @throws Problem `thing.unknown`
 * @throws LogUnavailableError if the append is not confirmed: call again
 */
export async function eraseClient(deps: EraseDeps, workspace: Workspace, client: string): Promise<string> {
  // Another process may have erased a cached client a moment ago.
  await deps.subjects.refresh(workspace.id);
  const subject = await subjectOfClient(deps.subjects, workspace, client);
  for (let tries = 1; ; tries++) {
    try {
      await deps.log.appendFenced(workspace.id, { kind: 'erase', subject, payload: Buffer.from('{}') }, (transaction) =>
        destroyClient(transaction as ClientBase, workspace.id, subject),
      );
      break;
    } catch (error) {
      if (isCausedBy(error, isErasedMeanwhile)) throw unknownClient();
      if (!isCausedBy(error, isDeadlock) || tries === triesMax) throw error;
    }
  }
  await deps.subjects.refresh(workspace.id);
  return subject;
}

/** Destroys the key of a client that exists, in the transaction that appends the `erase` record. */
export async function destroyClient(client: ClientBase, workspaceId: string, subject: string): Promise<void> {
  const gone = await client.query(`delete from subject where workspace_id = $1 and id = $2`, [workspaceId, subject]);
  if (gone.rowCount === 0) throw new ErasedMeanwhile('erased by another process');
  // The `erase` record removes them from the engine's lists.
  await client.query(`delete from list_item where workspace_id = $1 and subject = $2`, [workspaceId, subject]);
  // What messages to people say of the client: one without it goes on, and one of nothing else is dropped.
  await client.query(
    `delete from notification_item i using notification n
      where i.notification_id = n.id and n.workspace_id = $1 and i.subject = $2`,
    [workspaceId, subject],
  );
  // The client's entity state in the log's base; the `erase` record removes it from the present state.
  await client.query(`delete from base_entity where workspace_id = $1 and subject = $2`, [workspaceId, subject]);
  // Locked until the commit, so that ids become visible in order and a reader that follows them skips none.
  await client.query(`lock table erasure in exclusive mode`);
  await client.query(`insert into erasure (workspace_id, subject) values ($1, $2)`, [workspaceId, subject]);
  await client.query(`select pg_notify('ringfence_erasure', '')`);
}

/** The log may wrap an error that its callback throws. */
function isCausedBy(error: unknown, isIt: (error: Error) => boolean): boolean {
  return error instanceof Error && (isIt(error) || isCausedBy(error.cause, isIt));
}

function isErasedMeanwhile(error: Error): boolean {
  return error instanceof ErasedMeanwhile;
}

function isDeadlock(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === '40P01';
}
