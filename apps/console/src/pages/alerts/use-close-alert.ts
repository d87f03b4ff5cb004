import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useNotices } from '../../parts/notices.tsx';

/**
 * Closes an alert as fraud or legitimate.
 *
 * @param then called with the open holds of its events, also after the alert has left the page
 */
export function useCloseAlert(then?: (openHolds: readonly string[]) => void) {
  const { t } = useTranslation();
  const notices = useNotices();
  return useDoing('closeAlert', ['listAlerts', 'readAlert', 'readAlertNumbers'], {
    done: ({ openHolds }, { body: { outcome } }) => {
      notices.say(t(`alerts.decidedAs.${outcome}`));
      then?.(openHolds);
    },
  });
}
