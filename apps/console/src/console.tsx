import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Tooltip } from 'radix-ui';
import type { ReactElement } from 'react';
import { makeQueryClient } from './api/query-client.ts';
import { NoticesProvider } from './parts/notices.tsx';
import { makeRouter } from './router.tsx';

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
        <NoticesProvider>
          <RouterProvider router={router} />
        </NoticesProvider>
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}
