import { useSearch } from '@tanstack/react-router';
import { FileQuestion } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyFile } from '../../api/operations.generated.ts';
import { useRight, useWorkspace } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Apply } from './apply.tsx';
import { Backtest } from './backtest.tsx';
import { HealthTable } from './health-table.tsx';
import { PolicyStarts } from './policy-starts.tsx';
import { PolicyTabs } from './policy-tabs.tsx';
import { PolicyTests } from './policy-tests.tsx';
import { PolicyText } from './policy-text.tsx';
import { RuleCards } from './rule-cards.tsx';
import { useActivePolicy } from './use-active-policy.ts';
import { Versions } from './versions.tsx';

/** The rules that decide, their versions, and the way to better ones. */
export function PolicyPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const policy = useActivePolicy();
  if (workspace !== undefined && workspace.policyVersion === undefined) {
    return (
      <Page title={t('section.policy')}>
        <Empty sign={FileQuestion} title={t('policy.noVersion')}>
          {t('policy.noVersionHint')}
        </Empty>
      </Page>
    );
  }
  return (
    <Asked of={policy}>{({ files, version }) => <PolicyBody key={version} kept={files} version={version} />}</Asked>
  );
}

interface PolicyBodyProps {
  readonly kept: readonly PolicyFile[];
  readonly version: number;
}

function PolicyBody({ kept, version }: PolicyBodyProps): ReactElement {
  const { t } = useTranslation();
  const { tab = 'rules' } = useSearch({ from: '/w/$workspace/policy' });
  const byFile = useWorkspace()?.owners.policy === 'config';
  const mayWrite = useRight('write') && !byFile;
  const [files, setFiles] = useState(kept);
  const isChanged = files.some(({ text }, at) => text !== kept[at]?.text);
  const change = (path: string, text: string): void =>
    setFiles((before) => before.map((file) => (file.path === path ? { path, text } : file)));
  return (
    <Page
      title={t('section.policy')}
      lead={
        <>
          {t('policy.activeVersion', { version })} {byFile ? t('integration.byFile') : ''}{' '}
          {isChanged ? <b className="font-medium text-warn">{t('policy.changed')}</b> : null}
        </>
      }
      tools={
        <>
          <Backtest files={files} />
          {mayWrite ? <Apply files={files} kept={kept} isChanged={isChanged} onDiscard={() => setFiles(kept)} /> : null}
        </>
      }
    >
      <PolicyStarts active={version} />
      <PolicyTabs tab={tab} />
      {tab === 'rules' ? <RuleCards files={files} {...(mayWrite ? { onChange: change } : {})} /> : null}
      {tab === 'text' ? <PolicyText files={files} onChange={change} /> : null}
      {tab === 'tests' ? <PolicyTests files={files} /> : null}
      {tab === 'health' ? <HealthTable files={kept} version={version} /> : null}
      {tab === 'versions' ? <Versions active={version} mayActivate={mayWrite} /> : null}
    </Page>
  );
}
