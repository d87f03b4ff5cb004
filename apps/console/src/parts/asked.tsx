import type { ReactElement, ReactNode } from 'react';
import type { ApiProblem } from '../api/api-problem.ts';
import { Loading } from './loading.tsx';
import { ProblemNote } from './problem-note.tsx';

interface AskedProps<Data> {
  /** A query. */
  readonly of: {
    readonly data: Data | undefined;
    readonly error: ApiProblem | null;
    readonly refetch: () => unknown;
  };
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}

/** The state of a query: loading, failed, or its data. */
export function Asked<Data>({ of, rows, children }: AskedProps<Data>): ReactElement {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <ProblemNote problem={of.error} onRetry={() => void of.refetch()} />;
  return <Loading {...(rows === undefined ? {} : { rows })} />;
}
