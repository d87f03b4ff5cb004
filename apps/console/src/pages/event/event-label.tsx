import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { OutcomeBadge } from '../alerts/outcome-badge.tsx';

/** Labels an event. Backtests and features use the label from then on. */
export function EventLabel({ event }: { readonly event: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const mayWork = useRight('work');
  const told = useQuery(asking('listLabelsOfEvent', { params: { workspace, event } })).data?.items[0]?.label;
  const tell = useDoing('tellLabels', ['listLabelsOfEvent'], {
    done: ({ items: [outcome] }, { body: { labels } }) => {
      if (outcome?.state !== 'accepted') return notices.warn(t('event.notLabelled', { reason: outcome?.reason }));
      notices.say(t('event.labelled'), told === undefined || told === labels[0]?.label ? undefined : () => label(told));
    },
    failed: ({ message }) => notices.warn(message),
  });
  const label = (value: 'fraud' | 'legitimate'): void =>
    tell.mutate({ params: { workspace }, body: { labels: [{ event, label: value }] } });
  return (
    <>
      {told === undefined ? null : <OutcomeBadge outcome={told} />}
      {mayWork ? (
        <>
          <Button busy={tell.isPending} disabled={told === 'fraud'} onClick={() => label('fraud')}>
            {t('alerts.outcome.fraud')}
          </Button>
          <Button busy={tell.isPending} disabled={told === 'legitimate'} onClick={() => label('legitimate')}>
            {t('alerts.outcome.legitimate')}
          </Button>
        </>
      ) : null}
    </>
  );
}
