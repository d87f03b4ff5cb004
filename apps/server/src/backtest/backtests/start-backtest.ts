import { Problem } from '@ringfence/contract';
import type { PolicyFile } from '@ringfence/policy';
import type { Pool } from 'pg';
import { findSegment } from '../../history/segments.ts';
import { candidateVersion, readPolicyFiles } from '../../policies/policy-store.ts';
import { type PolicyWork, workHere } from '../../policies/policy-work.ts';
import type { VaryRequest } from '../../policies/vary-param.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { AsLive } from './as-live.ts';
import { insertBacktest } from './backtest-rows.ts';

/** The requested backtest. */
export interface BacktestRequest {
  /** Files of a policy, or a stored version. */
  readonly candidate: { readonly files: readonly PolicyFile[] } | { readonly version: number };
  /** Compare with the live version, or with nothing. */
  readonly against: 'live' | 'nothing';
  /** Name of an imported history; omitted for the live log. */
  readonly history?: string | undefined;
  /** Only events from `fromMs` to before `toMs` are counted. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Which rules in shadow run as if live; none if omitted. */
  readonly asLive?: AsLive | undefined;
  /** A parameter whose values are compared. */
  readonly vary?: VaryRequest | undefined;
  readonly author: string;
  /** Where the policy is checked; absent: in this thread. */
  readonly work?: PolicyWork | undefined;
}

/**
 * Checks the request and records the backtest as running; the caller must then run it.
 *
 * @returns its number
 * @throws Problem `policy.invalid`, `request.invalid` for what is varied, `thing.unknown` for a version or a history, `state.conflict` while another one runs
 *   or when there is no live policy to compare with
 */
export async function startBacktest(pool: Pool, workspace: Workspace, wanted: BacktestRequest): Promise<number> {
  const { id: workspaceId } = workspace;
  const { candidate, against, history, fromMs, toMs, asLive = 'none', vary, author, work = workHere } = wanted;
  const given = 'files' in candidate ? candidate.files : await readPolicyFiles(pool, workspaceId, candidate.version);
  const { files } = await work({ kind: 'check', files: given });
  const varied = vary && (await work({ kind: 'vary', files, wanted: vary }));
  if (history !== undefined) await findSegment(pool, workspaceId, history);
  return insertBacktest(pool, {
    workspaceId,
    author,
    files,
    decidesAs: 'version' in candidate ? candidate.version : await candidateVersion(pool, workspaceId, files),
    against: against === 'live' ? liveVersion(workspace) : undefined,
    history,
    fromMs,
    toMs,
    asLive,
    vary: varied,
  });
}

function liveVersion({ policyVersion, name }: Workspace): number {
  if (policyVersion !== undefined) return policyVersion;
  throw new Problem('state.conflict', `${name} has no policy to compare with: compare against nothing.`);
}
