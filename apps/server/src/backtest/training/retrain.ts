import { dayMs, Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { readPolicyFiles } from '../../policies/policy-store.ts';
import type { PolicyWork } from '../../policies/policy-work.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Backtests } from '../backtests/backtests.ts';
import { findTrainingOf, type TrainingChoices } from './training-rows.ts';

export interface RetrainDeps {
  readonly pool: Pool;
  readonly backtests: Pick<Backtests, 'train'>;
  readonly work: PolicyWork;
}

/** Author of what is trained because the policy asks for it. */
export const retrainAuthor = 'retrain: weekly';
const everyDays = 7;
const firstChoices: TrainingChoices = { delayMs: 7 * dayMs };

/**
 * Trains each model again that shall be trained weekly, on the live log, with the settings by which its present file was
 * trained. The result is a challenger: it is compared with the present model, and decides nothing until a person writes
 * it into the policy. While a backtest or another training runs, nothing is started: the next call tries again.
 *
 * @returns how many were started
 */
export async function retrainDue(deps: RetrainDeps, workspaces: readonly Workspace[]): Promise<number> {
  let started = 0;
  for (const workspace of workspaces) {
    for (const model of await modelsDue(deps, workspace)) {
      const choices = await choicesOf(deps.pool, workspace.id, model.sha256);
      try {
        await deps.backtests.train(workspace, { model: model.name, choices, author: retrainAuthor, work: deps.work });
        started += 1;
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'state.conflict') throw error;
        return started;
      }
    }
  }
  return started;
}

interface DueModel {
  readonly name: string;
  readonly sha256: string | undefined;
}

async function modelsDue({ pool, work }: RetrainDeps, workspace: Workspace): Promise<readonly DueModel[]> {
  const { id, policyVersion } = workspace;
  if (policyVersion === undefined) return [];
  const files = await readPolicyFiles(pool, id, policyVersion);
  // Nearly every policy, without compiling it.
  if (!files.some(({ text }) => /\bretrain:/.test(text))) return [];
  const wanted = (await work({ kind: 'models', files })).filter(({ retrain }) => retrain === 'weekly');
  const { rows } = await pool.query<{ model: string }>(
    `select distinct model from backtest
      where workspace_id = $1 and purpose = 'training' and author = $2
        and started_at > now() - interval '${everyDays} days'`,
    [id, retrainAuthor],
  );
  const recent = new Set(rows.map(({ model }) => model));
  return wanted.filter(({ name }) => !recent.has(name)).map(({ name, trained }) => ({ name, sha256: trained?.sha256 }));
}

async function choicesOf(pool: Pool, workspaceId: string, sha256: string | undefined): Promise<TrainingChoices> {
  if (sha256 === undefined) return firstChoices;
  return (await findTrainingOf(pool, workspaceId, sha256))?.choices ?? firstChoices;
}
