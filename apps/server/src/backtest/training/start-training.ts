import { Problem } from '@ringfence/contract';
import { loadPolicy, type PolicyFile } from '@ringfence/policy';
import type { Pool } from 'pg';
import { findSegment } from '../../history/segments.ts';
import { readPolicyFiles } from '../../policies/policy-store.ts';
import { type PolicyWork, workHere } from '../../policies/policy-work.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { insertTraining, readTrainedArtifact, type TrainingChoices } from './training-rows.ts';

/** A model to be trained or compared in the background. */
export interface WantedTraining {
  /** Files of a policy; absent: those of the live version. */
  readonly files?: readonly PolicyFile[] | undefined;
  readonly model: string;
  readonly history?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly choices: TrainingChoices;
  /** Number of the training whose model is compared with the policy's; absent: a model is trained. */
  readonly challenger?: number | undefined;
  readonly author: string;
  /** Where the policy is checked; absent: in this thread. */
  readonly work?: PolicyWork | undefined;
}

/**
 * Checks what is wanted and records it as running; the caller must then run it.
 *
 * @returns its number
 * @throws Problem `policy.invalid`, `thing.unknown` for a model, a history or a challenger, `state.conflict` while a backtest
 *   or another training runs, or without a live policy
 */
export async function startTraining(pool: Pool, workspace: Workspace, wanted: WantedTraining): Promise<number> {
  const { id: workspaceId } = workspace;
  const { model, history, challenger, work = workHere } = wanted;
  const { files } = await work({ kind: 'check', files: wanted.files ?? (await liveFiles(pool, workspace)) });
  refuseUnknownModel(files, model);
  if (history !== undefined) await findSegment(pool, workspaceId, history);
  return insertTraining(pool, {
    workspaceId,
    purpose: challenger === undefined ? 'training' : 'comparison',
    author: wanted.author,
    model,
    files,
    history,
    fromMs: wanted.fromMs,
    toMs: wanted.toMs,
    choices: wanted.choices,
    ...(challenger === undefined ? {} : { challenger: await readTrainedArtifact(pool, workspaceId, challenger) }),
  });
}

async function liveFiles(pool: Pool, { id, name, policyVersion }: Workspace): Promise<readonly PolicyFile[]> {
  if (policyVersion !== undefined) return readPolicyFiles(pool, id, policyVersion);
  throw new Problem('state.conflict', `${name} has no active policy: send the files of one.`);
}

function refuseUnknownModel(files: readonly PolicyFile[], model: string): void {
  const loaded = loadPolicy(files, { withTests: false });
  if (!loaded.ok || loaded.policy.models.some(({ name }) => name === model)) return;
  const known = loaded.policy.models.map(({ name }) => name).join(', ');
  throw new Problem(
    'thing.unknown',
    `The policy declares no model ${model}${known === '' ? '.' : `; it has ${known}.`}`,
  );
}
