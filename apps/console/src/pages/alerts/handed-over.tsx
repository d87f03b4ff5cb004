import { Undo2 } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { isolated } from '../../language/isolated.ts';
import { Button } from '../../parts/button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** Who handed an alert over, to whom, and their note. The giver can take it back. */
export function HandedOver({ alert }: { readonly alert: AlertDetail }): ReactElement | null {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), alert: alert.id };
  const me = useSession().account.email;
  const mayWork = useRight('work');
  const takeBack = useDoing('takeBackAlert', ['listAlerts', 'readAlert', 'readAlertNumbers']);
  const { handedOver, claimedBy } = alert;
  if (handedOver === undefined || claimedBy === undefined) return null;
  const { by, at, note } = handedOver;
  const names = { by: isolated(by), to: isolated(claimedBy) };
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-cool-wash px-3 py-2 text-sm">
      <p className="min-w-0 grow">
        {claimedBy === me ? t('alerts.handedToYou', names) : t('alerts.handedTo', names)} · <Instant at={at} as="ago" />
        {note === undefined ? null : <span className="block break-words whitespace-pre-wrap">{note}</span>}
      </p>
      {by === me && mayWork ? (
        <Button small busy={takeBack.isPending} onClick={() => takeBack.mutate({ params })}>
          <Undo2 aria-hidden className="size-3.5" />
          {t('alerts.takeBack')}
        </Button>
      ) : null}
      {takeBack.error === null ? null : (
        <div className="w-full">
          <ProblemNote problem={takeBack.error} />
        </div>
      )}
    </div>
  );
}
