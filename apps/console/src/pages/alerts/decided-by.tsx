import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { isolated } from '../../language/isolated.ts';
import { useFraudTypeName } from './use-fraud-types.ts';

/** The user who closed an alert, when, and the decision. A live region: it is read out when another user closes the alert. */
export function DecidedBy({ alert }: { readonly alert: AlertDetail }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const { closedBy, closedAt, outcome } = alert;
  return (
    <p role="status" className="w-full text-sm">
      {closedBy === undefined || closedAt === undefined || outcome === undefined
        ? null
        : t('alerts.decidedBy', {
            name: isolated(closedBy),
            outcome: t(`alerts.outcome.${outcome}`),
            at: formats.instant(closedAt),
          })}
      <FraudSaid alert={alert} />
    </p>
  );
}

/** The type of a fraud and what it cost. */
function FraudSaid({ alert: { fraudType, loss, recovered, lossCurrency } }: { readonly alert: AlertDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const typeName = useFraudTypeName();
  const said = [
    fraudType === undefined ? undefined : typeName(fraudType),
    loss === undefined ? undefined : t('event.outcomeLoss', { amount: formats.amount(loss, lossCurrency) }),
    recovered === undefined
      ? undefined
      : t('event.outcomeRecovered', { amount: formats.amount(recovered, lossCurrency) }),
  ].filter((one) => one !== undefined);
  return said.length === 0 ? null : <span className="text-soft"> {said.join(' · ')}</span>;
}
