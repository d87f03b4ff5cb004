import { open, type Place, seal } from '../platform/secrets/seal.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
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
  readonly subject: string | null | undefined;
  /** The client's key, or the workspace's data key for an action without a client. */
  readonly key: Uint8Array;
  /** The id of the action, and which of its attempts. */
  readonly action: string;
  readonly number: number;
}

export function sealTranscript(transcript: AttemptTranscript, owner: TranscriptOwner): Buffer {
  return seal(owner.key, Buffer.from(JSON.stringify(transcript)), transcriptPlace(owner));
}

/** @throws SealError */
export function openTranscript(sealed: Uint8Array, owner: TranscriptOwner): AttemptTranscript {
  return JSON.parse(open(owner.key, sealed, transcriptPlace(owner)).toString()) as AttemptTranscript;
}

export function transcriptPlace({ workspace, subject, action, number }: Omit<TranscriptOwner, 'key'>): Place {
  return clientPlace('attempt', { workspaceId: workspace.id, subject }, `${action}:${number}`);
}
