import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useHearing } from '../../api/live.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Instant } from '../../parts/instant.tsx';

const everyMs = 10_000;
const minuteSeconds = 60;

/** Size of the queue and speed of its processing. */
export function AlertNumbers(): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const askEveryMs = useHearing(['alert'], everyMs, () => asked.refetch());
  const asked = useQuery({ ...asking('readAlertNumbers', { params: { workspace } }), refetchInterval: askEveryMs });
  const numbers = asked.data;
  if (numbers === undefined) return <>{t('alerts.lead')}</>;
  const { open, claimed, overdue, oldestAt, fraud, legitimate, inconclusive, medianSeconds } = numbers;
  return (
    <span className="flex flex-wrap gap-x-4">
      <span>{t('alerts.open', { count: open, claimed })}</span>
      {oldestAt === undefined ? null : (
        <span>
          {t('alerts.oldest')} <Instant at={oldestAt} as="ago" />
        </span>
      )}
      {overdue === 0 ? null : (
        <span className="font-medium text-bad">{t('alerts.overdueCount', { count: overdue })}</span>
      )}
      <span>{t('alerts.decided', { fraud, legitimate, inconclusive })}</span>
      {medianSeconds === undefined ? null : (
        <span>{t('alerts.median', { minutes: formats.tenths(medianSeconds / minuteSeconds) })}</span>
      )}
    </span>
  );
}
