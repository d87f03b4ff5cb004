import type { EventLog } from '@ringfence/log';
import type { ClientBase } from 'pg';
import type { SubjectKeys } from './subject-keys.ts';
import type { Workspace } from '../workspaces/workspace.ts';

export interface EraseDeps {
  readonly log: Pick<EventLog, 'appendFenced'>;
  readonly subjects: Pick<SubjectKeys, 'find' | 'refresh'>;
}

/** A base that is written at this moment holds rows of the client as well: PostgreSQL ends one of the two. */
const triesMax = 3;

/** Somebody else erased the client between the look and the append: the append is taken back. */
class ErasedMeanwhile extends Error {
  override readonly name = 'ErasedMeanwhile';
}

/**
 * Erases a client: its key and its index are gone in the same commit as the `erase` record, and with the key
 * everything that was sealed under it, wherever copies of it lie. No event that was sealed under the old key can be
 * appended afterwards. A client that is heard of again is a new one.
 *
 * @returns the random id that was erased; `undefined` when the client is not known
 * @throws LogUnavailableError when the log does not say that it took the record: call again
 */
export async function eraseClient(deps: EraseDeps, workspace: Workspace, client: string): Promise<string | undefined> {
  // What is cached may have been erased by another process a moment ago.
  await deps.subjects.refresh(workspace.id);
  const subject = await deps.subjects.find(workspace, client);
  if (subject === undefined) return undefined;
  for (let tries = 1; ; tries++) {
    try {
      await deps.log.appendFenced(workspace.id, { kind: 'erase', subject, payload: Buffer.from('{}') }, (transaction) =>
        destroy(transaction as ClientBase, workspace.id, subject),
      );
      break;
    } catch (error) {
      if (isCausedBy(error, isErasedMeanwhile)) return undefined;
      if (!isCausedBy(error, isDeadlock) || tries === triesMax) throw error;
    }
  }
  await deps.subjects.refresh(workspace.id);
  return subject;
}

async function destroy(client: ClientBase, workspaceId: string, subject: string): Promise<void> {
  const gone = await client.query(`delete from subject where workspace_id = $1 and id = $2`, [workspaceId, subject]);
  if (gone.rowCount === 0) throw new ErasedMeanwhile('erased by another process');
  // The `erase` record takes them off the lists of the engine.
  await client.query(`delete from list_item where workspace_id = $1 and subject = $2`, [workspaceId, subject]);
  // What the engine knew of the client where the kept log begins; of the present state, the record takes it out.
  await client.query(`delete from base_entity where workspace_id = $1 and subject = $2`, [workspaceId, subject]);
  // Held until the commit, so that ids become visible in their order: who follows them skips none.
  await client.query(`lock table erasure in exclusive mode`);
  await client.query(`insert into erasure (workspace_id, subject) values ($1, $2)`, [workspaceId, subject]);
  await client.query(`select pg_notify('ringfence_erasure', '')`);
}

/** The log may wrap what its caller throws. */
function isCausedBy(error: unknown, isIt: (error: Error) => boolean): boolean {
  return error instanceof Error && (isIt(error) || isCausedBy(error.cause, isIt));
}

function isErasedMeanwhile(error: Error): boolean {
  return error instanceof ErasedMeanwhile;
}

function isDeadlock(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === '40P01';
}
