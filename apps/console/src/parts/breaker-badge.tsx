import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from './badge.tsx';

const tones = { closed: 'good', failing: 'warn', open: 'warn', disabled: 'bad' } as const;

interface BreakerBadgeProps {
  /** `closed` is no proof that it ever answered: it may not have been sent to. */
  readonly state: keyof typeof tones;
}

/** Whether the bank's webhook is sent to just now. */
export function BreakerBadge({ state }: BreakerBadgeProps): ReactElement {
  const { t } = useTranslation();
  return <Badge tone={tones[state]}>{t(`deliveries.breaker.${state}`)}</Badge>;
}
