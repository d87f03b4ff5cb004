import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from './badge.tsx';

const tones = { closed: 'good', failing: 'warn', open: 'warn', disabled: 'bad' } as const;

interface BreakerBadgeProps {
  /** `closed` does not prove that the webhook works: nothing may have been sent yet. */
  readonly state: keyof typeof tones;
}

/** State of the circuit breaker of the webhook. */
export function BreakerBadge({ state }: BreakerBadgeProps): ReactElement {
  const { t } = useTranslation();
  return <Badge tone={tones[state]}>{t(`deliveries.breaker.${state}`)}</Badge>;
}
