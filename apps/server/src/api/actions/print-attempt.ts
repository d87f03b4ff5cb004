import type { NumberedAttempt, StoredAction } from '@ringfence/delivery';
import { type AttemptTranscript, openTranscript } from '../../deliver/attempt-transcript.ts';
import { SealError } from '../../platform/secrets/seal.ts';
import { keyOf } from '../../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import type { PrintedAttempt } from './action-schema.ts';

/** Prints one POST of an action; the transcript is absent once the client was erased. */
export async function printAttempt(
  deps: Pick<ManagementDeps, 'subjects'>,
  of: { readonly workspace: Workspace; readonly action: StoredAction },
  attempt: NumberedAttempt,
): Promise<PrintedAttempt> {
  const { number, startedAtMs, durationMs, result, reason, status } = attempt;
  return {
    number,
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs,
    result,
    ...(reason === undefined ? {} : { reason }),
    ...(status === undefined ? {} : { status }),
    ...(await transcriptOf(deps, of, attempt)),
  };
}

async function transcriptOf(
  deps: Pick<ManagementDeps, 'subjects'>,
  { workspace, action }: { readonly workspace: Workspace; readonly action: StoredAction },
  { detail }: NumberedAttempt,
): Promise<AttemptTranscript> {
  const { subject } = action;
  const key = await keyOf(deps, workspace, subject);
  if (key === undefined) return {};
  try {
    return openTranscript(detail, { workspace, subject, key });
  } catch (error) {
    if (error instanceof SealError) return {};
    throw error;
  }
}
