import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQueryClient,
} from '@tanstack/react-query';
import type { Answer, Input } from './call.ts';
import { rest, restMs, useHearing } from './live.ts';
import type { LiveEvent } from './live-stream.ts';
import { type ListId, listing } from './use-api.ts';

interface Following {
  readonly events: readonly LiveEvent[];
  /** Polling interval without a stream. */
  readonly everyMs: number;
  /** How many rows from the first must be current: those in sight and those being worked on. */
  readonly needed: () => number;
}

/**
 * A live list. A refetch would request every loaded page in sequence, so all pages beyond the needed ones and the next
 * are dropped. They are loaded again when the user scrolls there.
 */
export function useFollowedPages<Id extends ListId>(
  id: Id,
  input: Input<Id>,
  { events, everyMs, needed }: Following,
): UseInfiniteQueryResult<InfiniteData<Answer<Id>>> {
  const client = useQueryClient();
  const options = listing(id, input);
  const { queryKey } = options;
  const askEveryMs = useHearing(events, everyMs, async () => {
    // Keep the next page: the user is waiting for it.
    if (client.isFetching({ queryKey, exact: true }) > 0) await list.refetch({ cancelRefetch: false });
    const rows = needed();
    client.setQueryData<InfiniteData<Answer<Id>>>(queryKey, (data) => data && withFewer(data, rows));
    const { data } = await list.refetch();
    // One request per page.
    await rest(restMs * ((data?.pages.length ?? 1) - 1));
  });
  const list = useInfiniteQuery({
    ...options,
    refetchInterval: ({ state }) => askEveryMs !== false && askEveryMs * (state.data?.pages.length ?? 1),
  });
  return list;
}

function withFewer<Page extends { readonly items: readonly unknown[] }>(
  { pages, pageParams }: InfiniteData<Page>,
  rows: number,
): InfiniteData<Page> {
  let before = 0;
  const within = pages.filter(({ items }) => (before += items.length) - items.length < rows);
  const kept = within.length + 1;
  return { pages: pages.slice(0, kept), pageParams: pageParams.slice(0, kept) };
}
