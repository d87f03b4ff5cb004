import type { NewAction } from './action.ts';

/**
 * Identifies a session, whose first attempts are made in order. The same session id with another client or in another
 * channel is another session.
 */
export interface SessionKey {
  readonly workspaceId: string;
  readonly sessionIndex: Uint8Array;
  readonly channelId: number;
  /** Empty without a client. */
  readonly subject: string;
}

/** `undefined` for an action of the unnamed session, which has no order. */
export function sessionKeyOf(
  action: Pick<NewAction, 'workspaceId' | 'sessionIndex' | 'channelId' | 'subject'>,
): SessionKey | undefined {
  const { workspaceId, sessionIndex, channelId, subject = '' } = action;
  return sessionIndex && { workspaceId, sessionIndex, channelId, subject };
}

/** The key as text, equal for equal keys. */
export function sessionText({ workspaceId, sessionIndex, channelId, subject }: SessionKey): string {
  return `${workspaceId} ${Buffer.from(sessionIndex).toString('hex')} ${channelId} ${subject}`;
}
