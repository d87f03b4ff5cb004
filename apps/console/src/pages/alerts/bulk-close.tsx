import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { useNotices } from '../../parts/notices.tsx';

interface BulkCloseProps {
  readonly alerts: readonly string[];
  readonly onDone: () => void;
}

/** Gives all selected alerts the same decision: all or none. */
export function BulkClose({ alerts, onDone }: BulkCloseProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const close = useDoing('closeAlerts', ['listAlerts', 'readAlertNumbers'], {
    done: ({ closed }) => notices.say(t('alerts.closedMany', { count: closed })),
    failed: ({ message }) => notices.warn(message),
  });
  const run = (outcome: 'fraud' | 'legitimate'): void =>
    close.mutate({ params: { workspace }, body: { alerts, outcome } }, { onSuccess: onDone });
  return (
    <div className="flex items-center gap-2 rounded-t-lg border-b border-line bg-fence-wash px-3 py-2 text-sm">
      <span className="grow font-medium">{t('alerts.marked', { count: alerts.length })}</span>
      <Button small look="danger" busy={close.isPending} onClick={() => run('fraud')}>
        {t('alerts.outcome.fraud')}
      </Button>
      <Button small busy={close.isPending} onClick={() => run('legitimate')}>
        {t('alerts.outcome.legitimate')}
      </Button>
    </div>
  );
}
