import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Page } from '../../parts/page.tsx';
import { RuleCards } from './rule-cards.tsx';

/** The rules that decide, their versions, and the way to better ones. */
export function PolicyPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const version = useWorkspace()?.policyVersion;
  const files = useQuery({
    ...asking('readPolicy', { params: { workspace, version: version ?? 0 } }),
    enabled: version !== undefined,
  });
  return (
    <Page
      title={t('section.policy')}
      lead={version === undefined ? t('policy.noVersion') : t('policy.activeVersion', { version })}
    >
      {version === undefined ? null : <Asked of={files}>{(policy) => <RuleCards files={policy.files} />}</Asked>}
    </Page>
  );
}
