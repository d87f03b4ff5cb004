import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { FileQuestion, Undo2 } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyFile } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { tabClass, Tabs } from '../../parts/tabs.tsx';
import { Models } from '../models/models.tsx';
import { Apply } from './apply.tsx';
import { useBacktestTurn } from './backtest-turn.ts';
import { Backtest } from './backtest.tsx';
import { EmergencyBadge } from './emergency.tsx';
import { HealthTable } from './health-table.tsx';
import { PolicyStarts } from './policy-starts.tsx';
import { PolicyTests } from './policy-tests.tsx';
import { PolicyText } from './policy-text.tsx';
import { RequestStatus } from './request-status.tsx';
import { RuleCards } from './rule-cards.tsx';
import { useActivePolicy } from './use-active-policy.ts';
import { useDraft } from './use-draft.ts';
import { Versions } from './versions.tsx';
import { type PolicyTab, policyTabs } from './policy-search.ts';

const everyMs = 5_000;

/** The active rules, their versions, and the tools to change them. */
export function PolicyPage(): ReactElement {
  const { t } = useTranslation();
  // Another version may become active at any time, after its feature backfill or by another user.
  const workspace = useQuery(asking('readWorkspace', { params: { workspace: useWorkspaceName() } }, everyMs)).data;
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
  return <Asked of={policy}>{({ files, version }) => <PolicyBody kept={files} version={version} />}</Asked>;
}

interface PolicyBodyProps {
  readonly kept: readonly PolicyFile[];
  readonly version: number;
}

function PolicyBody({ kept, version }: PolicyBodyProps): ReactElement {
  const { t } = useTranslation();
  const { tab = 'rules' } = useSearch({ from: '/w/$workspace/policy' });
  const byFile = useWorkspace()?.owners.policy === 'config';
  const mayTry = useRight('write');
  const mayWrite = mayTry && !byFile;
  const draft = useDraft(useWorkspaceName(), { basedOn: version, files: kept });
  const { files, isChanged } = draft;
  const turn = useBacktestTurn();
  return (
    <Page
      title={t('section.policy')}
      lead={
        <>
          {t('policy.activeVersion', { version })} <EmergencyBadge version={version} />{' '}
          {byFile ? t(mayTry ? 'policy.onlyTried' : 'integration.byFile') : ''}{' '}
          {isChanged ? <b className="font-medium text-warn">{t('policy.changed')}</b> : null}{' '}
          {draft.basedOn === version ? null : (
            <b className="font-medium text-bad">{t('policy.movedOn', { basedOn: draft.basedOn })}</b>
          )}
        </>
      }
      tools={
        <>
          <Backtest files={files} turn={turn} onChange={(path, text) => draft.putFiles([{ path, text }])} />
          {mayTry && isChanged ? (
            <Button look="quiet" onClick={draft.discard}>
              <Undo2 aria-hidden className="size-4" />
              {t('policy.discard')}
            </Button>
          ) : null}
          {mayWrite ? <Apply draft={draft} kept={kept} version={version} /> : null}
        </>
      }
    >
      <RequestStatus active={version} />
      <PolicyStarts active={version} />
      <PolicyTabs tab={tab} />
      {tab === 'rules' ? <RuleCards files={files} {...(mayTry ? { onChange: draft.putFiles } : {})} /> : null}
      {tab === 'text' ? <PolicyText draft={draft} turn={turn} /> : null}
      {tab === 'tests' ? <PolicyTests files={files} /> : null}
      {tab === 'models' ? <Models files={files} onChange={mayTry ? draft.putFiles : undefined} /> : null}
      {tab === 'health' ? <HealthTable files={kept} version={version} /> : null}
      {tab === 'versions' ? <Versions active={version} mayActivate={mayWrite} /> : null}
    </Page>
  );
}

function PolicyTabs({ tab }: { readonly tab: PolicyTab }): ReactElement {
  const { t } = useTranslation();
  return (
    <Tabs label={t('entity.views')}>
      {policyTabs.map((one) => (
        <Link
          key={one}
          from="/w/$workspace/policy"
          search={(before) => ({ ...before, tab: one })}
          aria-current={one === tab ? 'page' : undefined}
          className={tabClass}
        >
          {t(`policy.tab.${one}`)}
        </Link>
      ))}
    </Tabs>
  );
}
