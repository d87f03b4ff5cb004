import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useHearing } from '../../api/live.ts';
import { usePersonal } from '../../api/personal.ts';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { useSpan } from '../../url/use-span.ts';
import { useRuleNames } from '../policy/use-rule-names.ts';
import { actionColumns } from './action-columns.tsx';
import { ActionFilters } from './action-filters.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { TestAction } from './test-action.tsx';
import { useActionName } from './use-action-name.ts';

/** Between two questions where no stream tells what happens. */
const everyMs = 5_000;

/** What the bank was asked to do, whether it was reached, and what a person may do about it. */
export function DeliveriesPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { state, client, reason } = useSearch({ from: '/w/$workspace/deliveries' });
  const span = useSpan();
  const navigate = useNavigate();
  const actionName = useActionName();
  const askEveryMs = useHearing(['decision', 'action'], everyMs, () => void actions.refetch());
  const actions = useInfiniteQuery({
    ...listing('listActions', { params: { workspace }, query: { ...span, ...usePersonal(), state, client, reason } }),
    refetchInterval: askEveryMs,
  });
  const ruleNames = useRuleNames();
  const columns = useMemo(
    () => actionColumns(t, workspace, { nameOf: actionName, ruleNames }),
    [t, workspace, actionName, ruleNames],
  );
  return (
    <Page title={t('section.deliveries')} lead={t('deliveries.lead')} tools={<TestAction />}>
      <EndpointHealth />
      <div className="flex items-start gap-2">
        <ActionFilters />
        <BulkActions />
      </div>
      <Panel flush>
        <RowList
          label={t('section.deliveries')}
          of={actions}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: '/w/$workspace/deliveries/$action', params: { workspace, action: id } })
          }
          empty={
            <Empty sign={Send} title={t('deliveries.none')}>
              {t('deliveries.noneHint')}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
