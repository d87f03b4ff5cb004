import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import type { PolicyFile } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Loading } from '../../parts/loading.tsx';
import { Changes } from './changes.tsx';
import { type Differences, policyChanges } from './policy-changes.ts';
import { useBuiltInActions } from '../deliveries/use-action-name.ts';

interface Versions {
  readonly from: number;
  readonly to: number;
}

interface Compared {
  /** `undefined` until both versions are loaded. */
  readonly files: { readonly before: readonly PolicyFile[]; readonly after: readonly PolicyFile[] } | undefined;
  /** `undefined` until then, and if one of them is refused. */
  readonly changes: Differences | undefined;
}

/** Two stored versions and their differences. */
export function useComparison({ from, to }: Versions): Compared {
  const workspace = useWorkspaceName();
  const before = useQuery(asking('readPolicy', { params: { workspace, version: from } })).data?.files;
  const after = useQuery(asking('readPolicy', { params: { workspace, version: to } })).data?.files;
  const nameOf = useBuiltInActions();
  return useMemo(
    () =>
      before === undefined || after === undefined
        ? { files: undefined, changes: undefined }
        : { files: { before, after }, changes: policyChanges(before, after, nameOf) },
    [before, after, nameOf],
  );
}

/** The differences between two stored versions. */
export function Comparison(versions: Versions): ReactElement {
  const { files, changes } = useComparison(versions);
  return files === undefined ? <Loading rows={3} /> : <Changes changes={changes} />;
}
