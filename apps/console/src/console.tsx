import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Tooltip } from 'radix-ui';
import type { ReactElement } from 'react';
import { DelayedNotices } from './parts/delayed-notices.tsx';
import { NoticesProvider } from './parts/notices.tsx';
import { makeRouter } from './router.tsx';
import { ApiProblem } from './api/api-problem.ts';
import { sessionEnded } from './api/session.ts';

/** How long an answer stays fresh. */
const freshMs = 10_000;
const retriesMax = 2;

/**
 * Always online: the browser cannot judge whether a service on the same machine or behind a tunnel is reachable. If it
 * believed to be offline, it would queue requests silently and send a decision long after the user has left.
 */
const asked = { networkMode: 'always' } as const;

const queryClient = makeQueryClient();
const router = makeRouter(queryClient);

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router;
  }
}

/** The whole console. */
export function Console(): ReactElement {
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delayDuration={300}>
        <NoticesProvider beside={<DelayedNotices />}>
          <RouterProvider router={router} />
        </NoticesProvider>
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}

function makeQueryClient(): QueryClient {
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
