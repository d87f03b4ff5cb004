import type { Notifications } from '@ringfence/log';

/** The NOTIFY channel on which deciding processes report how far each workspace is decided. */
export const decidedChannel = 'ringfence_decided';

/** Every event of the workspace before `nextOffset` is decided, or waits for its login. */
export interface DecidedNotice {
  readonly workspaceId: string;
  readonly nextOffset: number;
}

/** The payload of a notice. */
export function decidedPayload(workspaceId: string, nextOffset: number): string {
  return `${workspaceId} ${nextOffset}`;
}

/**
 * Hears the notices of all processes. Ignores any other payload: every client of the database can send one.
 *
 * @returns a function that stops hearing
 */
export function hearDecided(
  notifications: Pick<Notifications, 'hear'>,
  hear: (notice: DecidedNotice) => void,
): () => void {
  return notifications.hear(decidedChannel, {
    told: (payload) => {
      const parts = /^([a-z2-7]{1,32}) (\d{1,15})$/.exec(payload);
      if (parts !== null) hear({ workspaceId: parts[1]!, nextOffset: Number(parts[2]) });
    },
  });
}
