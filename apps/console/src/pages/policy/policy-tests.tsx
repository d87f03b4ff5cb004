import type { PolicyFile } from '@ringfence/policy';
import { FlaskConical, Play } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TestedPolicy } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TestRow } from './test-row.tsx';

/** Results of the tests in the policy, run on the live engine code, and the rules that they do not cover. */
export function PolicyTests({ files }: { readonly files: readonly PolicyFile[] }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const test = useDoing('testPolicy');
  const run = (): void => test.mutate({ params: { workspace }, body: { files: [...files] } });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-3">
        <Button look="main" busy={test.isPending} onClick={run}>
          <Play aria-hidden className="size-4" />
          {t('policyTests.run')}
        </Button>
        <p className="text-sm text-soft">{t('policyTests.hint')}</p>
      </div>
      {test.error === null ? null : <ProblemNote problem={test.error} onRetry={run} />}
      {test.isPending ? <Loading rows={6} /> : null}
      {test.data === undefined ? (
        test.isPending || test.error !== null ? null : (
          <Panel>
            <Empty sign={FlaskConical} title={t('policyTests.notYet')} />
          </Panel>
        )
      ) : (
        <Tested tested={test.data} />
      )}
    </div>
  );
}

function Tested({ tested }: { readonly tested: TestedPolicy }): ReactElement {
  const { t } = useTranslation();
  const { tests, unfired, unmissed } = tested;
  const failed = tests.filter(({ passed }) => !passed);
  const passed = tests.filter((one) => one.passed);
  return (
    <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] items-start gap-4">
      <Panel
        flush
        title={t('policyTests.tests')}
        hint={
          <span role="status">
            {t('policyTests.passed', { count: passed.length })}, {t('policyTests.failed', { count: failed.length })}
          </span>
        }
      >
        {tests.length === 0 ? <Empty sign={FlaskConical} title={t('policyTests.none')} /> : null}
        <ul className="divide-y divide-line text-sm">
          {[...failed, ...passed].map((test) => (
            <TestRow key={`${test.file}${test.line}`} test={test} />
          ))}
        </ul>
      </Panel>
      <div className="flex flex-col gap-4">
        <Gap title={t('policyTests.unfired')} reasons={unfired} none={t('policyTests.allFired')} />
        <Gap title={t('policyTests.unmissed')} reasons={unmissed} none={t('policyTests.allMissed')}>
          {t('policyTests.unmissedHint')}
        </Gap>
      </div>
    </div>
  );
}

interface GapProps {
  readonly title: string;
  readonly reasons: readonly number[];
  readonly none: string;
  readonly children?: ReactNode;
}

/** Rules that the tests do not cover. */
function Gap({ title, reasons, none, children }: GapProps): ReactElement {
  return (
    <Panel title={title} hint={reasons.length === 0 ? undefined : String(reasons.length)}>
      {reasons.length === 0 ? (
        <p className="text-sm text-soft">{none}</p>
      ) : (
        <>
          {children === undefined ? null : <p className="mb-2 text-xs text-soft">{children}</p>}
          <p className="flex flex-wrap gap-1">
            {reasons.map((reason) => (
              <Badge key={reason} tone="warn">
                {reason}
              </Badge>
            ))}
          </p>
        </>
      )}
    </Panel>
  );
}
