import { useTranslation } from 'react-i18next';
import type { Operations } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useNotices } from '../../parts/notices.tsx';

/** Queries that show the decision of an alert. */
const showing = [
  'listAlerts',
  'readAlert',
  'readAlertFacts',
  'readAlertNumbers',
] as const satisfies readonly (keyof Operations)[];

/**
 * Closes an alert as fraud, legitimate or inconclusive.
 *
 * @param then called with the open holds of its events, also after the alert has left the page
 */
export function useCloseAlert(then?: (openHolds: readonly string[]) => void) {
  const { t } = useTranslation();
  const notices = useNotices();
  return useDoing('closeAlert', showing, {
    done: ({ openHolds }, { body: { outcome } }) => {
      notices.say(t(`alerts.decidedAs.${outcome}`));
      then?.(openHolds);
    },
  });
}

/** Changes the decision of a closed alert. */
export function useCorrectAlert() {
  const { t } = useTranslation();
  const notices = useNotices();
  return useDoing('correctAlert', showing, {
    done: (_, { body: { outcome } }) => notices.say(t(`alerts.decidedAs.${outcome}`)),
  });
}
