import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { isolated } from '../../language/isolated.ts';

/** The user who closed an alert, and the decision. A live region: it is read out when another user closes the alert. */
export function DecidedBy({ alert }: { readonly alert: AlertDetail }): ReactElement | null {
  const { t } = useTranslation();
  const { closedBy, outcome } = alert;
  return (
    <p role="status" className="w-full text-sm">
      {closedBy === undefined || outcome === undefined
        ? null
        : t('alerts.decidedBy', { name: isolated(closedBy), outcome: t(`alerts.outcome.${outcome}`) })}
    </p>
  );
}
