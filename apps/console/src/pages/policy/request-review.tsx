import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyRequest } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Loading } from '../../parts/loading.tsx';
import { Changes } from './changes.tsx';
import { policyChanges } from './policy-changes.ts';
import { RequestBacktest } from './request-backtest.tsx';
import { RequestDefinitions } from './request-definitions.tsx';
import { RequestTests } from './request-tests.tsx';
import { useBuiltInActions } from './use-built-in-actions.ts';

interface RequestReviewProps {
  readonly request: PolicyRequest;
  /** The version that it is compared with. */
  readonly from: number;
}

/** What a person reads before approving: the change in words, its definitions, its tests, and a backtest. */
export function RequestReview({ request, from }: RequestReviewProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const nameOf = useBuiltInActions();
  const before = useQuery(asking('readPolicy', { params: { workspace, version: from } })).data?.files;
  const after = useQuery(asking('readPolicy', { params: { workspace, version: request.version } })).data?.files;
  const changes = useMemo(
    () => (before === undefined || after === undefined ? undefined : policyChanges(before, after, nameOf)),
    [before, after, nameOf],
  );
  const changed = useMemo(() => (changes?.rules ?? []).map(({ reason }) => reason), [changes]);
  if (before === undefined || after === undefined) return <Loading rows={3} />;
  return (
    <div className="flex flex-col gap-4">
      <section className="flex flex-col gap-2">
        <h3 className="eyebrow">{t('policy.changes')}</h3>
        <Changes changes={changes} />
      </section>
      <RequestDefinitions before={before} after={after} changed={changed} />
      <RequestTests files={after} />
      <RequestBacktest request={request} />
    </div>
  );
}
