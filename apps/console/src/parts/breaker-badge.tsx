import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Endpoint } from '../api/operations.generated.ts';
import { Badge } from './badge.tsx';

const tones = { closed: 'good', open: 'warn', disabled: 'bad' } as const;

/** Whether the bank's webhook is sent to just now. */
export function BreakerBadge({ state }: Pick<Endpoint, 'state'>): ReactElement {
  const { t } = useTranslation();
  return <Badge tone={tones[state]}>{t(`deliveries.breaker.${state}`)}</Badge>;
}
