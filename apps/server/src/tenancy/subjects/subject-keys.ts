import type { KeyObject } from 'node:crypto';
import type { Workspace } from '../workspaces/workspace.ts';

export interface SubjectKey {
  /** Random id of the client, 16 characters. */
  readonly subject: string;
  /** Seals everything that is stored about this client. */
  readonly key: KeyObject;
}

/**
 * The keys under which clients' data is sealed. A client gets its random id and key when it is first heard of;
 * erasing the client destroys both, and everything sealed under the key is gone with it.
 */
export interface SubjectKeys {
  /**
   * The client's id and key, made when there is none. Answers at once from memory when it can (bounded cache);
   * look-ups and creations of one turn of the event loop share one query.
   */
  ofClient(workspace: Workspace, client: string): SubjectKey | Promise<SubjectKey>;
  /**
   * The log generation up to which the cached keys of this workspace are known to be good. Read it before asking for
   * the key, and append under it: a key that is erased in between is then noticed by the log.
   */
  generation(workspaceId: string): number;
  /** Forgets the cached keys of a workspace and learns its present generation: after a `StaleGenerationError`. */
  refresh(workspaceId: string): Promise<void>;
  /** Keys by subject id; erased or unknown ones are missing from the answer. */
  bySubject(workspace: Workspace, subjects: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  /** The subject of a client, if it is known; makes nothing. */
  find(workspace: Workspace, client: string): Promise<string | undefined>;
}
