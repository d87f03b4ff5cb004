import type { Rule } from '@ringfence/policy';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';

const tones = { live: 'good', shadow: 'watch', off: 'plain' } as const;

/** The mode of a rule. */
export function ModeBadge({ mode }: Pick<Rule, 'mode'>): ReactElement {
  const { t } = useTranslation();
  return <Badge tone={tones[mode]}>{t(`policy.mode.${mode}`)}</Badge>;
}
