import type { KeyObject } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import type { Workspace } from '../workspaces/workspace.ts';

/** A client's row for its events, as long as the client is young. */
export interface Attached {
  readonly bytes: Buffer;
  readonly untilMs: number;
}

export interface SubjectKey {
  /** Random id of the client, 16 characters. */
  readonly subject: string;
  /** Encrypts everything that is stored about this client. */
  readonly key: KeyObject;
  /** For the events of a young client, where the bytes of events are kept outside of the database. */
  readonly attached?: Attached;
}

/**
 * The keys that encrypt clients' data. A client gets a random id and a key with its first event. Erasing the client
 * destroys both, which makes everything encrypted under the key unreadable.
 */
export interface SubjectKeys {
  /**
   * The client's id and key; created if the client is new. Returns synchronously if the key is cached; other requests
   * of one event-loop turn share a query.
   */
  ofClient(workspace: Workspace, client: string): SubjectKey | Promise<SubjectKey>;
  /**
   * The log generation for which the cached keys of this workspace are valid. Read it before requesting the key, and
   * append with it: the log then detects if the key was erased in between.
   */
  generation(workspaceId: string): number;
  /** Forgets a workspace's cached keys and reads its present generation. Call it after a `StaleGenerationError`. */
  refresh(workspaceId: string): Promise<void>;
  /** Keys by subject id; erased or unknown subjects are missing from the result. */
  bySubject(workspace: Workspace, subjects: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  /** The subject of a client, or `undefined` if it is unknown; creates nothing. */
  find(workspace: Workspace, client: string): Promise<string | undefined>;
}

/** The subject of a client that a person names. @throws Problem `thing.unknown` */
export async function subjectOfClient(
  subjects: Pick<SubjectKeys, 'find'>,
  workspace: Workspace,
  client: string,
): Promise<string> {
  const subject = await subjects.find(workspace, client);
  if (subject === undefined) throw unknownClient();
  return subject;
}

export function unknownClient(): Problem {
  return new Problem(
    'thing.unknown',
    'This client is not known in the workspace. Check that it is spelt as in its events.',
  );
}
