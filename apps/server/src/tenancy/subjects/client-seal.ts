/**
 * What is stored about a client is sealed under that client's key, so that erasing the key erases all of it; what names no
 * client, under the workspace's own. Here stands once which key and which context that is.
 */
import type { Workspace } from '../workspaces/workspace.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** What is sealed for a client. */
type Sealed = 'event' | 'decision' | 'action' | 'attempt' | 'label' | 'backtest' | 'alert' | 'note';

/** A client's random id; none of what names no client. */
type Subject = string | null | undefined;

/** The context of what is sealed for a client: it opens in its workspace, for its client, as what it is, and nowhere else. */
export function clientContext(what: Sealed, workspaceId: string, subject: Subject): string {
  return `${what}:${workspaceId}:${subject ?? '-'}`;
}

/** The key of what is sealed for a client, or for none, among those that were read; `undefined` when the client was erased. */
export function keyAmong(
  keys: ReadonlyMap<string, Buffer>,
  { secrets }: { readonly secrets: Pick<Workspace['secrets'], 'data'> },
  subject: Subject,
): Buffer | undefined {
  return subject === null || subject === undefined ? secrets.data : keys.get(subject);
}

/** The same for one client whose key is read for it. */
export async function keyOf(
  { subjects }: { readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  subject: Subject,
): Promise<Buffer | undefined> {
  return keyAmong(await subjects.bySubject(workspace, subjectsIn([{ subject }])), workspace, subject);
}

/** The clients that these name, each once. */
export function subjectsIn(named: readonly { readonly subject?: Subject }[]): readonly string[] {
  return [...new Set(named.flatMap(({ subject }) => subject ?? []))];
}
