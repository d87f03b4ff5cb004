import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Loading } from '../../parts/loading.tsx';
import { Changes } from './changes.tsx';
import { policyChanges } from './policy-changes.ts';

/** The differences between two stored versions. */
export function Comparison({ from, to }: { readonly from: number; readonly to: number }): ReactElement {
  const workspace = useWorkspaceName();
  const before = useQuery(asking('readPolicy', { params: { workspace, version: from } })).data;
  const after = useQuery(asking('readPolicy', { params: { workspace, version: to } })).data;
  if (before === undefined || after === undefined) return <Loading rows={3} />;
  return <Changes changes={policyChanges(before.files, after.files)} />;
}
