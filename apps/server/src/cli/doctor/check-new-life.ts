import { labelOf } from '../../config/reconcile.ts';
import { newLifeToldMs, readNewLives } from '../../decide/failover.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { type Finding, unwise } from './finding.ts';

/** Whether the database went back to an earlier moment lately, and what may be missing since. */
export async function checkNewLife(installation: OpenInstallation, nowMs: number): Promise<readonly Finding[]> {
  const lives = await readNewLives(installation.pool, nowMs - newLifeToldMs);
  if (lives.length === 0) return [];
  const labels = new Map((await listWorkspaces(installation)).map((one) => [one.id, labelOf(one)]));
  return lives.map(({ workspaceId, sinceMs, keptUntilMs }) => {
    const [since, until] = [sinceMs, keptUntilMs].map((ms) => new Date(ms).toISOString());
    const detail = `${labels.get(workspaceId)} has a new life of the database since ${since}, after a fail-over, a recovery or a restore: what was acknowledged after ${until} may be missing`;
    const mend = `If that was not meant, look at the database first. Then let the bank send again what it sent from ${until} to ${since}. Said for a week.`;
    return unwise('new life', detail, mend);
  });
}
