import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';
import { sessionEnded } from './session.ts';

/** What was asked is shown again for so long without asking. */
const freshMs = 10_000;
const retriesMax = 2;

/**
 * Whether there is a network is nothing that a browser can tell of a service on the same machine or in a tunnel. It would
 * hold what is asked back without a word, and send a decision long after whoever pressed its key has gone.
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
        // What was asked in vain is asked anew.
        refetchOnReconnect: true,
        staleTime: freshMs,
        // Only what may go away by itself is tried again.
        retry: (failures, error) =>
          failures < retriesMax && error instanceof ApiProblem && (error.status === 0 || error.status === 503),
      },
      mutations: asked,
    },
  });
}
