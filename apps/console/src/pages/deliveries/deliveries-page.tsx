import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersonal } from '../../api/personal.ts';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Choice } from '../../parts/field.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { wordMember } from '../../url/search-members.ts';
import { useSpan } from '../../url/use-span.ts';
import { useRuleNames } from '../policy/use-rule-names.ts';
import { actionColumns } from './action-columns.tsx';
import { actionStates } from './actions-search.ts';
import { BulkActions } from './bulk-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { TestAction } from './test-action.tsx';
import { useActionName } from './use-action-name.ts';

/** What the bank was asked to do, whether it was reached, and what a person may do about it. */
export function DeliveriesPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { state, client, reason } = useSearch({ from: '/w/$workspace/deliveries' });
  const span = useSpan();
  const navigate = useNavigate();
  const narrow = useNavigate({ from: '/w/$workspace/deliveries' });
  const actionName = useActionName();
  const actions = useInfiniteQuery(
    listing('listActions', { params: { workspace }, query: { ...span, ...usePersonal(), state, client, reason } }),
  );
  const ruleNames = useRuleNames();
  const columns = useMemo(
    () => actionColumns(t, workspace, { nameOf: actionName, ruleNames }),
    [t, workspace, actionName, ruleNames],
  );
  return (
    <Page title={t('section.deliveries')} lead={t('deliveries.lead')} tools={<TestAction />}>
      <EndpointHealth />
      <div className="flex items-center gap-2">
        <Choice
          bare
          label={t('event.state')}
          className="w-48"
          value={state ?? ''}
          onChange={(event) => {
            const wanted = wordMember(actionStates, event.target.value);
            void narrow({
              search: ({ state: _before, ...rest }) => (wanted === undefined ? rest : { ...rest, state: wanted }),
            });
          }}
          options={[
            { value: '', label: t('events.anyState') },
            ...actionStates.map((one) => ({ value: one, label: t(`action.state.${one}`) })),
          ]}
        />
        <BulkActions state={state} />
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
