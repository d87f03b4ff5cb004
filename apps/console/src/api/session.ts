import type { QueryClient } from '@tanstack/react-query';
import { call, rememberCsrfToken } from './call.ts';
import type { Session } from './operations.generated.ts';

export const sessionKey = ['readSession'] as const;

/** Query for the session of this browser. It is refetched only on request. */
export const askingSession = {
  queryKey: sessionKey,
  queryFn: async (): Promise<Session> => keepSession(await call('readSession', {})),
  staleTime: Infinity,
  retry: false,
} as const;

/** The session of this browser. @throws ApiProblem `session.missing` */
export function readSession(client: QueryClient): Promise<Session> {
  return client.ensureQueryData(askingSession);
}

/** Stores a session that was just opened or read. */
export function keepSession(session: Session): Session {
  rememberCsrfToken(session.csrfToken);
  return session;
}

type Listener = () => void;
const listeners = new Set<Listener>();

/** Calls back when the service reports that the session is over. @returns a function that unsubscribes */
export function onSessionEnd(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function sessionEnded(): void {
  for (const listener of listeners) listener();
}
