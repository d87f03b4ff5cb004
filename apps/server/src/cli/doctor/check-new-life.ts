import { labelOf } from '../../config/reconcile.ts';
import { failoverReportedMs, readFailovers } from '../../decide/failover.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { type Finding, unwise } from './finding.ts';

/** Warns for a week after a failover, recovery or restore of the database, and shows which events may be missing. */
export async function checkNewLife(installation: OpenInstallation, nowMs: number): Promise<readonly Finding[]> {
  const lives = await readFailovers(installation.pool, nowMs - failoverReportedMs);
  if (lives.length === 0) return [];
  const labels = new Map((await listWorkspaces(installation)).map((one) => [one.id, labelOf(one)]));
  return lives.map(({ workspaceId, sinceMs, keptUntilMs }) => {
    const [since, until] = [sinceMs, keptUntilMs].map((ms) => new Date(ms).toISOString());
    const detail = `${labels.get(workspaceId)}: the database failed over, was recovered or was restored at ${since}; events acknowledged after ${until} may be missing`;
    const mend = `If this was not intended, check the database first. Then ask the bank to send again what it sent from ${until} to ${since}. This warning is shown for a week.`;
    return unwise('failover', detail, mend);
  });
}
