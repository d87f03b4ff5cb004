import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';

interface FiredRulesProps {
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
  /** Those of `shadow` that did not act because of a control group. */
  readonly control?: readonly number[];
  /** Shows all rules in full, one per line. */
  readonly wrap?: boolean;
}

/** Numbers of the rules that fired, live and in shadow. */
export function FiredRules({ fired, shadow, control = [], wrap }: FiredRulesProps): ReactElement {
  const { t } = useTranslation();
  return (
    <span className={`inline-flex gap-1 ${wrap === true ? 'flex-wrap justify-end' : ''}`}>
      {fired.map((reason) => (
        <Badge key={reason} tone="bad" title={t('event.firedLive', { reason })}>
          {reason}
        </Badge>
      ))}
      {shadow.map((reason) => (
        <Badge
          key={reason}
          tone="watch"
          title={t(control.includes(reason) ? 'event.firedControl' : 'event.firedShadow', { reason })}
        >
          {reason}
        </Badge>
      ))}
    </span>
  );
}
