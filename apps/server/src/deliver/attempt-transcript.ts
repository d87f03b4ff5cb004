import { open, seal } from '../platform/secrets/seal.ts';
import { clientContext } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** What is kept of an attempt beside its columns. Sealed: an answer may speak of the client. */
export interface AttemptTranscript {
  /** The address that was connected to; absent when none was. */
  readonly address?: string;
  /** What went wrong, in words of the transport. */
  readonly error?: string;
  /** The client's `message`. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The first 16 KiB of the answer. */
  readonly body?: string;
}

export interface TranscriptOwner {
  readonly workspace: Workspace;
  readonly subject: string | undefined;
  /** The client's key, or the workspace's data key for an action without a client. */
  readonly key: Uint8Array;
}

export function sealTranscript(transcript: AttemptTranscript, { workspace, subject, key }: TranscriptOwner): Buffer {
  return seal(key, Buffer.from(JSON.stringify(transcript)), clientContext('attempt', workspace.id, subject));
}

/** @throws SealError */
export function openTranscript(sealed: Uint8Array, { workspace, subject, key }: TranscriptOwner): AttemptTranscript {
  return JSON.parse(open(key, sealed, clientContext('attempt', workspace.id, subject)).toString()) as AttemptTranscript;
}
