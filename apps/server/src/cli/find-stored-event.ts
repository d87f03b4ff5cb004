import { labelOf } from '../config/reconcile.ts';
import type { WholeEvent } from '../records/event-opener.ts';
import { type EventIdentity, parseEventId } from '../records/event-id.ts';
import { StoredEvents } from '../api/events/stored-events.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { OpenInstallation } from './open-installation.ts';

/** The event that a command names. @throws OperatorError where there is none that can be read */
export async function findStoredEvent(
  { pool, log, subjects }: Pick<OpenInstallation, 'pool' | 'log' | 'subjects'>,
  { workspace, event }: { readonly workspace: Workspace; readonly event: string },
): Promise<{ readonly identity: EventIdentity; readonly whole: WholeEvent }> {
  const identity = parseEventId(event);
  const whole = await new StoredEvents(pool, log, subjects).findWhole(workspace, identity);
  if (whole === undefined) {
    throw new OperatorError(
      `There is no event ${event} that can be read in ${labelOf(workspace)}.`,
      'Compare the id with `ringfence events tail`; its client may have been erased, or it is older than events are kept.',
    );
  }
  return { identity, whole };
}
