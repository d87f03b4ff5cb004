import type { PolicyFile } from '@ringfence/policy';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TestRow } from './test-row.tsx';
import { usePlayedTests } from './tests-first.tsx';

/** The requested policy's own tests, run by the service: how many pass, and each that fails. */
export function RequestTests({ files }: { readonly files: readonly PolicyFile[] }): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = usePlayedTests(files, true);
  const failed = data?.tests.filter(({ passed }) => !passed) ?? [];
  const passed = (data?.tests.length ?? 0) - failed.length;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="eyebrow">{t('policyTests.tests')}</h3>
      {error === null ? null : <ProblemNote problem={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <p className="text-sm text-soft">{t('policyTests.playing')}</p>
      ) : data.tests.length === 0 ? (
        <p className="text-sm text-soft">{t('policyTests.none')}</p>
      ) : (
        <p className="flex flex-wrap gap-2" role="status">
          <Badge tone="good">{t('policyTests.passed', { count: passed })}</Badge>
          <Badge tone={failed.length === 0 ? 'plain' : 'bad'}>
            {t('policyTests.failed', { count: failed.length })}
          </Badge>
        </p>
      )}
      {failed.length === 0 ? null : (
        <ul
          className="max-h-64 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm"
          tabIndex={0}
          aria-label={t('policyTests.failing')}
        >
          {failed.map((test) => (
            <TestRow key={`${test.file}${test.line}`} test={test} isElsewhere />
          ))}
        </ul>
      )}
    </section>
  );
}
