import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { useSpan } from '../../url/use-span.ts';

type Bulk = 'redeliver' | 'release' | 'drop';

const redeliverable = ['dead', 'expired', 'notExecuted', 'observed'] as const;

/** What can be done with all actions that the list shows: send the dead again, let the held go, or end them. */
export function BulkActions({ state }: { readonly state: Action['state'] | undefined }): ReactElement | null {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const [asked, setAsked] = useState<Bulk>();
  const offered: readonly Bulk[] =
    state === 'held' ? ['release', 'drop'] : redeliverable.some((one) => one === state) ? ['redeliver'] : [];
  if (!mayWork || offered.length === 0) return null;
  return (
    <>
      {offered.map((bulk) => (
        <Button key={bulk} look={bulk === 'drop' ? 'danger' : 'plain'} onClick={() => setAsked(bulk)}>
          {t(`deliveries.bulk.${bulk}`)}
        </Button>
      ))}
      {asked === undefined ? null : <BulkQuestion bulk={asked} state={state} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface BulkQuestionProps {
  readonly bulk: Bulk;
  readonly state: Action['state'] | undefined;
  readonly onClose: () => void;
}

function BulkQuestion({ bulk, state, onClose }: BulkQuestionProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const notices = useNotices();
  const done = ({ changed }: { readonly changed: number }): void =>
    notices.say(t('deliveries.changed', { count: changed }));
  const redeliver = useDoing('redeliverActions', ['listActions'], { done });
  const release = useDoing('releaseActions', ['listActions'], { done });
  const drop = useDoing('dropActions', ['listActions'], { done });
  const doing = { redeliver, release, drop }[bulk];
  const again = redeliverable.find((one) => one === state);
  const answer = { onSuccess: onClose };
  const run = (): void => {
    if (bulk === 'redeliver')
      redeliver.mutate(
        { params: { workspace }, body: { ...span, ...(again === undefined ? {} : { state: again }) } },
        answer,
      );
    else (bulk === 'release' ? release : drop).mutate({ params: { workspace }, body: span }, answer);
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
