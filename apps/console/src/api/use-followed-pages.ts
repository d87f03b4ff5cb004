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
  /** Between two questions where no stream tells what happens. */
  readonly everyMs: number;
  /** How many rows from the first are needed as they are now: those in sight, and those that somebody works on. */
  readonly needed: () => number;
}

/**
 * A list that follows what happens. All pages that were loaded would be asked for again, one after the other: those below
 * what is needed are let go, but for the next, and come back when somebody goes there.
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
    // The next page, for which somebody waits, is not cut off.
    if (client.isFetching({ queryKey, exact: true }) > 0) await list.refetch({ cancelRefetch: false });
    const rows = needed();
    client.setQueryData<InfiniteData<Answer<Id>>>(queryKey, (data) => data && withFewer(data, rows));
    const { data } = await list.refetch();
    // Each page was a question.
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
