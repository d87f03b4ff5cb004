import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Event } from '../../api/operations.generated.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';

const tones: Readonly<Record<Event['status'], Tone>> = {
  accepted: 'plain',
  waiting: 'cool',
  decided: 'plain',
  repeat: 'plain',
  unreadable: 'warn',
  quarantined: 'bad',
};

export function StatusBadge({ status }: { readonly status: Event['status'] }): ReactElement {
  const { t } = useTranslation();
  return (
    <Badge tone={tones[status]} title={t(`event.statusMeaning.${status}`)}>
      {t(`event.status.${status}`)}
    </Badge>
  );
}
