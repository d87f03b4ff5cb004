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

/** `undefined` for any other payload: every client of the database can send one. */
export function parseDecidedNotice(payload: string): DecidedNotice | undefined {
  const parts = /^([a-z2-7]{1,32}) (\d{1,15})$/.exec(payload);
  return parts === null ? undefined : { workspaceId: parts[1]!, nextOffset: Number(parts[2]) };
}
