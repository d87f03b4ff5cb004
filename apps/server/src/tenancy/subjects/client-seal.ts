/**
 * Data about a client is encrypted under that client's key, so destroying the key erases the data. Data that names no
 * client is encrypted under the workspace's data key. This module chooses the key and the place.
 */
import type { Place } from '../../platform/secrets/seal.ts';
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
  | 'hold'
  | 'notification';

/** A client's random id; absent for data that names no client. */
type Subject = string | null | undefined;

/** @param row the key of the row, as far as `subject` does not name it */
export function clientPlace(
  what: Sealed,
  { workspaceId, subject }: { readonly workspaceId: string; readonly subject: Subject },
  row: string | number,
): Place {
  return { of: `${what}:${workspaceId}:${subject ?? '-'}`, row: String(row) };
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
