import type { SubjectId } from '../record.ts';
import { sessionState } from '../sessions/session.ts';
import type { EngineState } from '../state.ts';
import { decodeClient } from '../store/store.ts';
import type { ClientEntity } from './client-entity.ts';

/** What can be asked about a client between two events. */
export interface ClientStatus {
  /** `undefined` if the client is not blocked. */
  readonly blockedUntilMs: number | undefined;
  readonly activeSessions: readonly { readonly channelId: number; readonly id: string }[];
}

/**
 * The client's status at an instant, which must not be before known events. `undefined` if its entity is not in memory:
 * the one that the last checkpoint stored is still valid then. Decides nothing and changes no state.
 */
export function clientStatus({ store }: EngineState, subject: SubjectId, nowMs: number): ClientStatus | undefined {
  const client = store.client(subject);
  return client === undefined ? undefined : statusOf(client, nowMs);
}

/** The same from the stored state of an entity that is not in memory; `undefined`: there is none. */
export function storedClientStatus(bytes: Uint8Array | undefined, subject: SubjectId, nowMs: number): ClientStatus {
  return statusOf(bytes === undefined ? null : decodeClient(bytes, subject), nowMs);
}

function statusOf(client: ClientEntity | null, nowMs: number): ClientStatus {
  if (client === null) return { blockedUntilMs: undefined, activeSessions: [] };
  return {
    blockedUntilMs: client.isBlocked(nowMs) ? client.block?.untilMs : undefined,
    activeSessions: client.sessions.all
      .filter((session) => sessionState(session, nowMs) === 'active')
      .map(({ channelId, id }) => ({ channelId, id })),
  };
}
