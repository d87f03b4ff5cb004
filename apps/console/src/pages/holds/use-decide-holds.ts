import { useTranslation } from 'react-i18next';
import type { Hold } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useNotices } from '../../parts/notices.tsx';

export type HoldDecision = NonNullable<Hold['decision']>['decision'];

/** Queries that show holds. */
export const showingHolds = ['listHolds', 'readHold'] as const;

/** Decides about holds, and says which were decided and which not. */
export function useDecideHolds() {
  const { t } = useTranslation();
  const notices = useNotices();
  return useDoing('decideHolds', showingHolds, {
    done: ({ results }) => {
      const refused = results.filter(({ problem }) => problem !== undefined);
      const taken = results.length - refused.length;
      if (taken > 0) notices.say(t('holds.done', { count: taken }));
      if (refused.length > 0)
        notices.warn(t('holds.refused', { count: refused.length, detail: refused[0]!.detail ?? '' }));
    },
    failed: ({ message }) => notices.warn(message),
  });
}
