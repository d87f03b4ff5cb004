import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';
import { sessionEnded } from './session.ts';

/** How long an answer stays fresh. */
const freshMs = 10_000;
const retriesMax = 2;

/**
 * Always online: the browser cannot judge whether a service on the same machine or behind a tunnel is reachable. If it
 * believed to be offline, it would queue requests silently and send a decision long after the user has left.
 */
const asked = { networkMode: 'always' } as const;

export function makeQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiProblem && error.code === 'session.missing') sessionEnded();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        ...asked,
        // Failed queries are refetched.
        refetchOnReconnect: true,
        staleTime: freshMs,
        // Retry only temporary failures.
        retry: (failures, error) =>
          failures < retriesMax && error instanceof ApiProblem && (error.status === 0 || error.status === 503),
      },
      mutations: asked,
    },
  });
}
