import { useSearch } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { useSpan } from '../../url/use-span.ts';

type Bulk = 'redeliver' | 'release' | 'drop';

const redeliverable = ['dead', 'expired', 'notExecuted', 'observed'] as const;

/** Operations on all listed actions: resend dead ones, release or discard capped ones. */
export function BulkActions(): ReactElement | null {
  const { t } = useTranslation();
  const { state } = useSearch({ from: '/w/$workspace/deliveries' });
  const mayWork = useRight('work');
  const [asked, setAsked] = useState<Bulk>();
  const offered: readonly Bulk[] =
    state === 'capped' ? ['release', 'drop'] : redeliverable.some((one) => one === state) ? ['redeliver'] : [];
  if (!mayWork || offered.length === 0) return null;
  return (
    <>
      {offered.map((bulk) => (
        <Button key={bulk} look={bulk === 'drop' ? 'danger' : 'plain'} onClick={() => setAsked(bulk)}>
          {t(`deliveries.bulk.${bulk}`)}
        </Button>
      ))}
      {asked === undefined || !offered.includes(asked) ? null : (
        <BulkQuestion bulk={asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface BulkQuestionProps {
  readonly bulk: Bulk;
  readonly onClose: () => void;
}

/** Applies to exactly the filters of the list. */
function BulkQuestion({ bulk, onClose }: BulkQuestionProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { state, client, reason } = useSearch({ from: '/w/$workspace/deliveries' });
  const span = useSpan();
  const notices = useNotices();
  const done = ({ changed }: { readonly changed: number }): void => {
    notices.say(t('deliveries.changed', { count: changed }));
    onClose();
  };
  const redeliver = useDoing('redeliverActions', ['listActions'], { done });
  const release = useDoing('releaseActions', ['listActions'], { done });
  const drop = useDoing('dropActions', ['listActions'], { done });
  const doing = { redeliver, release, drop }[bulk];
  const again = redeliverable.find((one) => one === state);
  const shown = { ...span, ...(client === undefined ? {} : { client }), ...(reason === undefined ? {} : { reason }) };
  const run = (): void => {
    const params = { workspace };
    if (bulk === 'redeliver')
      redeliver.mutate({ params, body: { ...shown, ...(again === undefined ? {} : { state: again }) } });
    else (bulk === 'release' ? release : drop).mutate({ params, body: shown });
  };
  return (
    <Confirm
      title={t(`deliveries.bulk.${bulk}`)}
      act={t(`deliveries.bulk.${bulk}`)}
      danger={bulk === 'drop'}
      busy={doing.isPending}
      problem={doing.error}
      onConfirm={run}
      onClose={onClose}
    >
      {t(`deliveries.bulkMeaning.${bulk}`)}
    </Confirm>
  );
}
