/**
 * Data about a client is encrypted under that client's key, so destroying the key erases the data. Data that names no
 * client is encrypted under the workspace's data key. This module chooses the key and the encryption context.
 */
import type { Workspace } from '../workspaces/workspace.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** Kinds of data that are encrypted for a client. */
type Sealed =
  | 'event'
  | 'decision'
  | 'action'
  | 'attempt'
  | 'label'
  | 'report'
  | 'outcome'
  | 'backtest'
  | 'alert'
  | 'note'
  | 'hold';

/** A client's random id; absent for data that names no client. */
type Subject = string | null | undefined;

/** The encryption context: it binds data to its kind, its workspace and its client. */
export function clientContext(what: Sealed, workspaceId: string, subject: Subject): string {
  return `${what}:${workspaceId}:${subject ?? '-'}`;
}

/** The key for a client's data, or the workspace's for data without a client; `undefined` if the client was erased. */
export function keyAmong(
  keys: ReadonlyMap<string, Buffer>,
  { secrets }: { readonly secrets: Pick<Workspace['secrets'], 'data'> },
  subject: Subject,
): Buffer | undefined {
  return subject === null || subject === undefined ? secrets.data : keys.get(subject);
}

/** The same, reading the key of one client. */
export async function keyOf(
  { subjects }: { readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  subject: Subject,
): Promise<Buffer | undefined> {
  return keyAmong(await subjects.bySubject(workspace, subjectsIn([{ subject }])), workspace, subject);
}

/** The distinct subjects of the given items. */
export function subjectsIn(named: readonly { readonly subject?: Subject }[]): readonly string[] {
  return [...new Set(named.flatMap(({ subject }) => subject ?? []))];
}
