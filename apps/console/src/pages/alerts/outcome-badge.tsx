import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Alert } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

const tones = { fraud: 'bad', legitimate: 'good', inconclusive: 'watch', suppressed: 'plain' } as const;

export function OutcomeBadge({ outcome }: { readonly outcome: NonNullable<Alert['outcome']> }): ReactElement {
  const { t } = useTranslation();
  return <Badge tone={tones[outcome]}>{t(`alerts.outcome.${outcome}`)}</Badge>;
}
