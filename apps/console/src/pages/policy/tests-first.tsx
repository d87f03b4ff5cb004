import type { PolicyFile } from '@ringfence/policy';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { TestedPolicy } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TestRow } from './test-row.tsx';

/** Test results of a policy that loads. They depend on the files only, so they are cached. */
export function usePlayedTests(files: readonly PolicyFile[], loads: boolean): UseQueryResult<TestedPolicy> {
  const workspace = useWorkspaceName();
  return useQuery({
    ...asking('testPolicy', { params: { workspace }, body: { files: [...files] } }),
    enabled: loads,
    staleTime: Infinity,
  });
}

interface TestsFirstProps {
  readonly tests: UseQueryResult<TestedPolicy>;
  /** The user continues although tests fail or were not run. */
  readonly isUntested: boolean;
  readonly onChange: (isUntested: boolean) => void;
  /** Called when a test is opened in the text. */
  readonly onOpen: () => void;
}

/** Test results before activation. If tests fail, continuing requires a checkbox. */
export function TestsFirst({ tests, isUntested, onChange, onOpen }: TestsFirstProps): ReactElement {
  const { t } = useTranslation();
  if (tests.error !== null) {
    // Accepting unrun tests does not accept failing ones.
    const again = (): void => {
      onChange(false);
      void tests.refetch();
    };
    return (
      <>
        <ProblemNote problem={tests.error} onRetry={again} />
        <GoOn label={t('policyTests.goOnUnplayed')} isUntested={isUntested} onChange={onChange} />
      </>
    );
  }
  const played = tests.data?.tests;
  const failed = played?.filter(({ passed }) => !passed) ?? [];
  const passed = (played?.length ?? 0) - failed.length;
  return (
    <>
      <p role="status" className={`text-sm ${failed.length === 0 ? 'text-soft' : 'font-medium text-bad'}`}>
        {played === undefined
          ? t('policyTests.playing')
          : played.length === 0
            ? t('policyTests.none')
            : `${t('policyTests.tests')}: ${t('policyTests.passed', { count: passed })}, ${t('policyTests.failed', { count: failed.length })}`}
      </p>
      {failed.length === 0 ? null : (
        <>
          <ul
            className="max-h-48 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm"
            tabIndex={0}
            aria-label={t('policyTests.failing')}
          >
            {failed.map((test) => (
              <TestRow key={`${test.file}${test.line}`} test={test} onOpen={onOpen} />
            ))}
          </ul>
          <GoOn label={t('policyTests.goOn', { count: failed.length })} isUntested={isUntested} onChange={onChange} />
        </>
      )}
    </>
  );
}

interface GoOnProps extends Pick<TestsFirstProps, 'isUntested' | 'onChange'> {
  readonly label: string;
}

function GoOn({ label, isUntested, onChange }: GoOnProps): ReactElement {
  return (
    <label className="flex items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-4 accent-fence"
        checked={isUntested}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  );
}
