import { open, seal } from '../platform/secrets/seal.ts';
import { clientContext } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** Details of an attempt that are not in columns. Sealed, because an answer may contain data of the client. */
export interface AttemptTranscript {
  /** The address connected to; absent without a connection. */
  readonly address?: string;
  /** What went wrong, as the transport reports it. */
  readonly error?: string;
  /** The `message` of the client's answer. */
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
