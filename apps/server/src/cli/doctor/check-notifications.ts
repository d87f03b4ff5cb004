import { closedBreaker, readBreakers } from '@ringfence/delivery';
import { labelOf } from '../../config/reconcile.ts';
import { type Destination, listDestinations } from '../../notifications/destinations.ts';
import { breakers, readDestinationHealth } from '../../notifications/notification-outbox.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { counted } from '../print.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** Checks that people are told: that each destination can be reached, and that e-mail has a server. */
export async function checkNotifications(installation: OpenInstallation): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let count = 0;
  for (const workspace of await listWorkspaces(installation)) {
    for (const destination of await listDestinations(installation.pool, workspace)) {
      count += 1;
      findings.push(
        ...(await checkDestination(installation, `${labelOf(workspace)}, ${destination.name}`, destination)),
      );
    }
  }
  return findings.length === 0 ? [good('notifications', counted(count, 'destination'))] : findings;
}

async function checkDestination(
  { pool, configuration }: OpenInstallation,
  label: string,
  { id, kind, address, pausedAtMs }: Destination,
): Promise<readonly Finding[]> {
  const test = 'Send a test in the console: Settings > Notifications.';
  if (address === undefined) {
    return [bad('notifications', `${label}: its address cannot be decrypted`, 'Enter it again.')];
  }
  if (kind === 'email' && configuration.mail === undefined) {
    const mend = 'Set notifications.smtp in the configuration file, or remove the destination.';
    return [bad('notifications', `${label}: there is no mail server`, mend)];
  }
  if (pausedAtMs !== undefined) return [unwise('notifications', `${label} is paused`, 'Resume or remove it.')];
  const breaker = (await readBreakers(pool, breakers, [id])).get(id) ?? closedBreaker;
  const { dead, lastFailure } = await readDestinationHealth(pool, id);
  const why = lastFailure === undefined ? '' : `, last because of "${lastFailure.reason}"`;
  if (breaker.state !== 'closed') return [bad('notifications', `${label} fails${why}: its messages wait`, test)];
  return dead === 0 ? [] : [unwise('notifications', `${label}: ${counted(dead, 'message')} not sent${why}`, test)];
}
