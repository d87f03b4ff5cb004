import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertSuppression } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useRuleNames } from '../policy/use-rule-names.ts';

/** Clients of whom no alerts open just now, why, and the way to end it. */
export function Suppressions(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const suppressions = useQuery(asking('listAlertSuppressions', { params: { workspace } }));
  return (
    <Panel flush>
      <Asked of={suppressions} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty sign={BellRing} title={t('alerts.none.suppressed')}>
              {t('alerts.suppressMeaning')}
            </Empty>
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
  );
}

function SuppressionRow({ suppression }: { readonly suppression: AlertSuppression }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const names = useRuleNames();
  const end = useDoing('endAlertSuppression', ['listAlertSuppressions', 'listAlerts']);
  const { id, clientRef, reason, until, why, madeBy, madeAt } = suppression;
  return (
    <li className="flex items-center gap-4 px-4 py-2.5">
      <EntityLink kind="client" name={clientRef} of={clientRef} mono />
      <Badge>{reason === undefined ? t('alerts.allRules') : `${reason} ${names?.get(reason) ?? ''}`.trim()}</Badge>
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
