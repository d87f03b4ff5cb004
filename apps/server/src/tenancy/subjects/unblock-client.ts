import type { EventLog } from '@ringfence/log';
import type { Workspace } from '../workspaces/workspace.ts';
import { subjectOfClient, type SubjectKeys } from './subject-keys.ts';

/**
 * Ends the block of a client, from the record in the log on. Changes nothing if the client is not blocked.
 *
 * @throws Problem `thing.unknown`, `log.unavailable`
 */
export async function unblockClient(
  { log, subjects }: { readonly log: Pick<EventLog, 'append'>; readonly subjects: Pick<SubjectKeys, 'find'> },
  workspace: Workspace,
  client: string,
): Promise<void> {
  const subject = await subjectOfClient(subjects, workspace, client);
  await log.append(workspace.id, { kind: 'unblock', subject, payload: Buffer.from('{}') });
}
