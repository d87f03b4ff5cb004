import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Loading } from '../../parts/loading.tsx';
import { Changes } from './changes.tsx';
import { type Differences, policyChanges } from './policy-changes.ts';
import { useBuiltInActions } from './use-built-in-actions.ts';

interface Versions {
  readonly from: number;
  readonly to: number;
}

/** The differences between two stored versions; `undefined` until they are loaded, or if one of them is refused. */
export function useComparison({ from, to }: Versions): {
  readonly changes: Differences | undefined;
  readonly isLoaded: boolean;
} {
  const workspace = useWorkspaceName();
  const before = useQuery(asking('readPolicy', { params: { workspace, version: from } })).data;
  const after = useQuery(asking('readPolicy', { params: { workspace, version: to } })).data;
  const nameOf = useBuiltInActions();
  const isLoaded = before !== undefined && after !== undefined;
  const changes = useMemo(
    () => (isLoaded ? policyChanges(before.files, after.files, nameOf) : undefined),
    [before, after, nameOf],
  );

  return { changes, isLoaded };
}

/** The differences between two stored versions. */
export function Comparison(versions: Versions): ReactElement {
  const { changes, isLoaded } = useComparison(versions);
  return isLoaded ? <Changes changes={changes} /> : <Loading rows={3} />;
}
