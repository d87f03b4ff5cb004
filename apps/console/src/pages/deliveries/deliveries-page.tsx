import { useNavigate, useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type ReactElement, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersonal } from '../../api/personal.ts';
import { useFollowedPages } from '../../api/use-followed-pages.ts';
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

/** Polling interval without a stream. */
const everyMs = 5_000;

/** Actions requested from the bank, the health of the webhook, and the controls of both. */
export function DeliveriesPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { state, client, reason } = useSearch({ from: '/w/$workspace/deliveries' });
  const span = useSpan();
  const navigate = useNavigate();
  const actionName = useActionName();
  const rowsSeen = useRef(0);
  const query = { ...span, ...usePersonal(), state, client, reason };
  const actions = useFollowedPages(
    'listActions',
    { params: { workspace }, query },
    { events: ['decision', 'action'], everyMs, needed: () => rowsSeen.current },
  );
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
          rowsSeen={rowsSeen}
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
