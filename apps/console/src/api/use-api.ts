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

/** One answer of the API, cached by operation and input. `everyMs`: polling interval. */
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

/** Callbacks for the outcome. They run even if the component that started it is unmounted. */
interface Told<Id extends OperationId> {
  readonly done?: (answer: Answer<Id>, input: Input<Id>) => void;
  readonly failed?: (problem: ApiProblem, input: Input<Id>) => void;
}

/**
 * Runs an operation that changes something. Afterwards, and after a conflict, the queries in `changes` are refetched.
 * Callbacks that close or navigate belong in the options of `mutate`: they do not run once the component is unmounted.
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
    onSuccess: async (answer, input) => {
      // A notice of the change appears beside what it changed, not before.
      await askAgain();
      done?.(answer, input);
    },
    onError: (problem, input) => {
      failed?.(problem, input);
      if (problem.code === 'state.conflict') void askAgain();
    },
  });
  // The second click of a double click arrives before the button is drawn as busy.
  const isUnderWay = (input: unknown): boolean => {
    const same = hashKey([input]);
    return client.isMutating({ mutationKey: [id], predicate: ({ state }) => hashKey([state.variables]) === same }) > 0;
  };
  const mutate: typeof doing.mutate = (...asked) => {
    if (!isUnderWay(asked[0])) doing.mutate(...asked);
  };
  return { ...doing, mutate };
}

/** Whether one of these mutations is running now. The last render may be stale. */
export function useIsDoing(): (...ids: readonly OperationId[]) => boolean {
  const client = useQueryClient();
  return (...ids) => ids.some((id) => client.isMutating({ mutationKey: [id] }) > 0);
}
