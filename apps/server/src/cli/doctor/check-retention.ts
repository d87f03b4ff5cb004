import { dayMs } from '@ringfence/contract';
import { labelOf } from '../../config/reconcile.ts';
import { readKeptSince, readRetentionAge } from '../../decide/retention/kept-since.ts';
import { retentionMs } from '../../tenancy/workspaces/retention-period.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { type Finding, good, unwise } from './finding.ts';

/** Old data is normally removed within an hour, or within a day if a range of the log is not full. */
const lateMsMax = 3 * dayMs;

/** Shows what each workspace keeps and since when, and warns if old data was not removed. */
export async function checkRetention(installation: OpenInstallation, nowMs: number): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const ageMs = await readRetentionAge(installation.pool, nowMs);
  if (ageMs > lateMsMax) {
    const detail = `old data has not been fully removed for ${Math.floor(ageMs / dayMs)} days`;
    const mend = 'Check that a process without --door-only is running. Its log shows what "could not be removed".';
    findings.push(unwise('retention', detail, mend));
  }
  for (const workspace of await listWorkspaces(installation)) {
    const { keepEvents, keepActions, keepDeviceTokens } = workspace.settings;
    const { eventsMs, actionsMs } = await readKeptSince(installation, workspace.id);
    const kept = [
      `events ${keptText(keepEvents)}, ${sinceText(eventsMs)}`,
      `finished actions ${keptText(keepActions)}, ${sinceText(actionsMs)}`,
      ...(keepDeviceTokens === undefined ? [] : [`device tokens readable ${keptText(keepDeviceTokens)}`]),
    ];
    findings.push(good('retention', `${labelOf(workspace)} keeps ${kept.join('; ')}`));
  }
  return findings;
}

function keptText(written: string): string {
  return retentionMs(written) === Infinity ? 'forever' : `for ${written.slice(0, -1)} days`;
}

function sinceText(oldestMs: number | undefined): string {
  return oldestMs === undefined ? 'none so far' : `since ${new Date(oldestMs).toISOString().slice(0, 10)}`;
}
