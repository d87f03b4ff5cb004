import { labelOf } from '../config/reconcile.ts';
import type { OpenedEvent } from '../records/event-opener.ts';
import { type EventIdentity, parseEventId } from '../records/event-id.ts';
import { StoredEvents } from '../api/events/stored-events.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { OpenInstallation } from './open-installation.ts';

/** The event that a command names. @throws OperatorError if there is no such event, or it cannot be read */
export async function findStoredEvent(
  { pool, log, subjects }: Pick<OpenInstallation, 'pool' | 'log' | 'subjects'>,
  { workspace, event }: { readonly workspace: Workspace; readonly event: string },
): Promise<{ readonly identity: EventIdentity; readonly whole: OpenedEvent }> {
  const identity = parseEventId(event, workspace);
  const whole = await new StoredEvents(pool, log, subjects).findWhole(workspace, identity);
  if (whole === undefined) {
    throw new OperatorError(
      `${labelOf(workspace)} has no readable event ${event}.`,
      'Compare the id with `ringfence events tail`. The client may have been erased, or the event is older than the retention period.',
    );
  }
  return { identity, whole };
}
