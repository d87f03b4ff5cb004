import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';
import { sessionEnded } from './session.ts';

/** What was asked is shown again for so long without asking. */
const freshMs = 10_000;
const retriesMax = 2;

export function makeQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiProblem && error.code === 'session.missing') sessionEnded();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // Only what may go away by itself is tried again.
        retry: (failures, error) =>
          failures < retriesMax && error instanceof ApiProblem && (error.status === 0 || error.status === 503),
      },
    },
  });
}
