import type { SubjectKeys } from '../subjects/subject-keys.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** The key that opens what is stored about a client, or about none; `undefined` when the client was erased. */
export async function keyOf(
  deps: { readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  subject: string | undefined,
): Promise<Buffer | undefined> {
  if (subject === undefined) return workspace.secrets.data;
  return (await deps.subjects.bySubject(workspace, [subject])).get(subject);
}
