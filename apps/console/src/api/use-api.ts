import {
  hashKey,
  type InfiniteData,
  infiniteQueryOptions,
  type QueryFunctionContext,
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query';
import type { ApiProblem } from './api-problem.ts';
import { type Answer, call, type Input, type OperationId } from './call.ts';

declare module '@tanstack/react-query' {
  interface Register {
    readonly defaultError: ApiProblem;
  }
}

interface Asking<Data> {
  readonly queryKey: QueryKey;
  readonly queryFn: (context: QueryFunctionContext) => Promise<Data>;
  readonly refetchInterval?: number;
}

/** One answer of the API, kept under its operation and what was asked. `everyMs`: asked again by itself. */
export function asking<Id extends OperationId>(id: Id, input: Input<Id>, everyMs?: number): Asking<Answer<Id>> {
  return {
    queryKey: [id, input],
    queryFn: ({ signal, client, queryKey }) =>
      call(id, input, { signal, background: client.getQueryData(queryKey) !== undefined }),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  };
}

interface Paged {
  readonly items: readonly unknown[];
  readonly next?: string;
}

export type ListId = { [Id in OperationId]: Answer<Id> extends Paged ? Id : never }[OperationId];

/** A list of the API page by page, newest first. */
export function listing<Id extends ListId>(id: Id, input: Input<Id>) {
  return infiniteQueryOptions<Answer<Id>, ApiProblem, InfiniteData<Answer<Id>>, QueryKey, string>({
    queryKey: [id, input, 'pages'],
    queryFn: ({ signal, pageParam, client, queryKey }) => {
      const { query, ...rest } = input as { readonly query?: object };
      const page = { ...rest, query: { ...query, limit: pageItems, cursor: pageParam } };
      const background = client.getQueryData(queryKey) !== undefined && pageParam === '';
      return call(id, page as unknown as Input<Id>, { signal, background });
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last as Paged).next,
  });
}

/** Fills a tall screen once. */
const pageItems = 60;

/** What is told of how something ended, also when the part of the page that began it is gone by then. */
interface Told<Id extends OperationId> {
  readonly done?: (answer: Answer<Id>, input: Input<Id>) => void;
  readonly failed?: (problem: ApiProblem, input: Input<Id>) => void;
}

/**
 * Does something by the API; what is shown of `changes` is asked for again afterwards, and when it was refused because
 * something else is so by now. What closes or moves a part of
 * the page is given to `mutate` itself: it is not called once that part is gone.
 */
export function useDoing<Id extends OperationId>(
  id: Id,
  changes: readonly OperationId[] = [],
  { done, failed }: Told<Id> = {},
): UseMutationResult<Answer<Id>, ApiProblem, Input<Id>> {
  const client = useQueryClient();
  const askAgain = (): Promise<unknown> =>
    Promise.all(changes.map((changed) => client.invalidateQueries({ queryKey: [changed] })));
  const doing = useMutation({
    mutationKey: [id],
    mutationFn: (input: Input<Id>) => call(id, input),
    onSuccess: (answer, input) => {
      done?.(answer, input);
      return askAgain();
    },
    onError: (problem, input) => {
      failed?.(problem, input);
      if (problem.code === 'state.conflict') void askAgain();
    },
  });
  // The second of two quick clicks comes before its button is drawn as busy.
  const isUnderWay = (input: unknown): boolean => {
    const same = hashKey([input]);
    return client.isMutating({ mutationKey: [id], predicate: ({ state }) => hashKey([state.variables]) === same }) > 0;
  };
  const mutate: typeof doing.mutate = (...asked) => {
    if (!isUnderWay(asked[0])) doing.mutate(...asked);
  };
  return { ...doing, mutate };
}

/** Tells whether one of these is being done in this very moment; what was drawn last is a moment behind. */
export function useIsDoing(): (...ids: readonly OperationId[]) => boolean {
  const client = useQueryClient();
  return (...ids) => ids.some((id) => client.isMutating({ mutationKey: [id] }) > 0);
}
