import { dayMs } from '@ringfence/contract';
import { labelOf } from '../../config/reconcile.ts';
import { readKeptSince, readRetentionAge } from '../../decide/retention/kept-since.ts';
import { keptMs } from '../../tenancy/workspaces/retention-period.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { type Finding, good, unwise } from './finding.ts';

/** What is too old goes within an hour, or a day where a range of the log is not full: so much later somebody should look. */
const lateMsMax = 3 * dayMs;

/** What is kept of each workspace and since when, and whether what is older has gone. */
export async function checkRetention(installation: OpenInstallation, nowMs: number): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const ageMs = await readRetentionAge(installation.pool, nowMs);
  if (ageMs > lateMsMax) {
    const detail = `not everything that is too old was removed for ${Math.floor(ageMs / dayMs)} days`;
    const mend = 'Is a process running that is not --door-only? Its log says what "could not be removed".';
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
  return keptMs(written) === Infinity ? 'for ever' : `for ${written.slice(0, -1)} days`;
}

function sinceText(oldestMs: number | undefined): string {
  return oldestMs === undefined ? 'and has none' : `since ${new Date(oldestMs).toISOString().slice(0, 10)}`;
}
