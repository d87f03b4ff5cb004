import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyRequest } from '../../api/operations.generated.ts';
import { Loading } from '../../parts/loading.tsx';
import { Changes } from './changes.tsx';
import { useComparison } from './comparison.tsx';
import { RequestBacktest } from './request-backtest.tsx';
import { RequestDefinitions } from './request-definitions.tsx';
import { RequestTests } from './request-tests.tsx';

interface RequestReviewProps {
  readonly request: PolicyRequest;
  /** The version that it is compared with. */
  readonly from: number;
}

/** What a person reads before approving: the change in words, its definitions, its tests, and a backtest. */
export function RequestReview({ request, from }: RequestReviewProps): ReactElement {
  const { t } = useTranslation();
  const { files, changes } = useComparison({ from, to: request.version });
  const changed = useMemo(() => (changes?.rules ?? []).map(({ reason }) => reason), [changes]);
  if (files === undefined) return <Loading rows={3} />;
  return (
    <div className="flex flex-col gap-4">
      <section className="flex flex-col gap-2">
        <h3 className="eyebrow">{t('policy.changes')}</h3>
        <Changes changes={changes} />
      </section>
      <RequestDefinitions {...files} changed={changed} />
      <RequestTests files={files.after} />
      <RequestBacktest request={request} />
    </div>
  );
}
