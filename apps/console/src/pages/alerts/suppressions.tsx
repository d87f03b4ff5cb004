import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertSuppression } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';
import { RuleSuppressionRow } from './rule-suppression-row.tsx';

/** Suppressed clients and rule exceptions: their reasons, and a button to end each. */
export function Suppressions(): ReactElement {
  const { t } = useTranslation();
  const asked = { params: { workspace: useWorkspaceName() }, query: usePersonal() };
  const mayShow = useRight('show');
  const clients = useQuery(asking('listAlertSuppressions', asked));
  const rules = useQuery({ ...asking('listRuleSuppressions', asked), enabled: mayShow });
  if (clients.data?.items.length === 0 && rules.data?.items.length === 0) {
    return (
      <Panel flush>
        <Empty sign={BellRing} title={t('alerts.none.suppressed')}>
          {t('alerts.noClientSuppressed')} {t('alerts.noRuleSuppressed')}
        </Empty>
      </Panel>
    );
  }
  return (
    <>
      <Panel flush title={t('alerts.suppressedClients')}>
        <Asked of={clients} rows={3}>
          {({ items }) =>
            items.length === 0 ? (
              <Nothing>{t('alerts.noClientSuppressed')}</Nothing>
            ) : (
              <ul className="divide-y divide-line text-sm">
                {items.map((suppression) => (
                  <SuppressionRow key={suppression.id} suppression={suppression} />
                ))}
              </ul>
            )
          }
        </Asked>
      </Panel>
      <Panel flush title={t('alerts.suppressedRules')} hint={t('alerts.suppressedRulesHint')}>
        {mayShow ? (
          <Asked of={rules} rows={3}>
            {({ items }) =>
              items.length === 0 ? (
                <Nothing>{t('alerts.noRuleSuppressed')}</Nothing>
              ) : (
                <ul className="divide-y divide-line text-sm" aria-label={t('alerts.suppressedRules')}>
                  {items.map((suppression) => (
                    <RuleSuppressionRow key={suppression.id} suppression={suppression} />
                  ))}
                </ul>
              )
            }
          </Asked>
        ) : (
          <Nothing>{t('state.forbidden')}</Nothing>
        )}
      </Panel>
    </>
  );
}

function Nothing({ children }: { readonly children: ReactNode }): ReactElement {
  return <p className="px-4 pt-1 pb-3 text-sm text-soft">{children}</p>;
}

function SuppressionRow({ suppression }: { readonly suppression: AlertSuppression }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const names = useRuleNames();
  const end = useDoing('endAlertSuppression', ['listAlertSuppressions', 'listAlerts']);
  const { id, clientRef, client, reason, until, why, madeBy, madeAt } = suppression;
  return (
    <li className="flex items-center gap-4 px-4 py-2.5">
      <EntityLink kind="client" name={client ?? clientRef} of={clientRef} mono={client === undefined} />
      <Badge>{reason === undefined ? t('alerts.allRules') : ruleLabel(reason, names)}</Badge>
      <span className="min-w-0 grow">
        {why}
        <span className="block text-xs text-soft">
          {madeBy} · <Instant at={madeAt} />
        </span>
      </span>
      <span className="text-soft">
        {t('alerts.until')} <Instant at={until} />
      </span>
      {mayWork ? (
        <Button small busy={end.isPending} onClick={() => end.mutate({ params: { workspace, suppression: id } })}>
          {t('alerts.endSuppression')}
        </Button>
      ) : null}
    </li>
  );
}
