import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from '../../api/operations.generated.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';

const tones: Readonly<Record<Action['state'], Tone>> = {
  waiting: 'cool',
  due: 'cool',
  leased: 'cool',
  capped: 'warn',
  executed: 'good',
  notExecuted: 'warn',
  dead: 'bad',
  expired: 'bad',
  dropped: 'plain',
  observed: 'plain',
  notAddressable: 'plain',
  erased: 'plain',
};

export function ActionBadge({ state }: { readonly state: Action['state'] }): ReactElement {
  const { t } = useTranslation();
  return (
    <Badge tone={tones[state]} title={t(`action.stateMeaning.${state}`)}>
      {t(`action.state.${state}`)}
    </Badge>
  );
}
