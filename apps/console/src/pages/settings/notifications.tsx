import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NotificationDestination } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { BreakerBadge } from '../../parts/breaker-badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Transcript } from '../../parts/transcript.tsx';
import { DestinationDialog } from './destination-dialog.tsx';
import { eventNames } from './destination-draft.ts';

/** Destinations of the notifications of a workspace. */
export function Notifications(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const destinations = useQuery(asking('listNotificationDestinations', { params: { workspace } }));
  const [adding, setAdding] = useState(false);
  const hasMail = destinations.data?.mail ?? false;
  return (
    <Panel
      title={t('notifications.title')}
      flush
      tools={
        <Button small look="main" onClick={() => setAdding(true)}>
          <Plus aria-hidden className="size-3.5" />
          {t('notifications.add')}
        </Button>
      }
    >
      <p className="border-b border-line px-4 py-2.5 text-sm text-soft">{t('notifications.hint')}</p>
      <Asked of={destinations} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 py-2.5 text-sm text-soft">{t('notifications.none')}</p>
          ) : (
            <ul className="divide-y divide-line text-sm">
              {items.map((one) => (
                <DestinationRow key={one.id} of={one} hasMail={hasMail} />
              ))}
            </ul>
          )
        }
      </Asked>
      {adding ? <DestinationDialog hasMail={hasMail} onClose={() => setAdding(false)} /> : null}
    </Panel>
  );
}

interface RowProps {
  readonly of: NotificationDestination;
  readonly hasMail: boolean;
}

function DestinationRow({ of, hasMail }: RowProps): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), destination: of.id };
  const [open, setOpen] = useState<'change' | 'remove' | 'test'>();
  const close = (): void => setOpen(undefined);
  const change = useDoing('changeNotificationDestination', ['listNotificationDestinations']);
  const remove = useDoing('removeNotificationDestination', ['listNotificationDestinations']);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-64">
        <span className="font-medium">{of.name}</span>
        <span className="block truncate text-xs text-soft">
          {t(`notifications.kind.${of.kind}`)} · {of.address}
        </span>
      </span>
      <span className="flex min-w-48 flex-1 flex-wrap gap-1">
        {eventNames
          .filter((event) => of.settings.events[event] !== undefined)
          .map((event) => (
            <Badge key={event}>{t(`notifications.event.${event}`)}</Badge>
          ))}
        <Sending of={of} />
      </span>
      {of.paused ? (
        <Badge tone="warn">{t('notifications.paused')}</Badge>
      ) : of.endpoint.state === 'closed' ? null : (
        <BreakerBadge state={of.endpoint.state} />
      )}
      <span className="flex gap-2">
        <Button small onClick={() => setOpen('test')}>
          {t('notifications.test')}
        </Button>
        <Button small busy={change.isPending} onClick={() => change.mutate({ params, body: { paused: !of.paused } })}>
          {t(of.paused ? 'notifications.resume' : 'notifications.pause')}
        </Button>
        <Button small onClick={() => setOpen('change')}>
          {t('notifications.change')}
        </Button>
        <Button small look="danger" onClick={() => setOpen('remove')}>
          {t('notifications.remove')}
        </Button>
      </span>
      {open === 'change' ? <DestinationDialog of={of} hasMail={hasMail} onClose={close} /> : null}
      {open === 'test' ? <TestDialog of={of} onClose={close} /> : null}
      {open === 'remove' ? (
        <Confirm
          title={t('notifications.remove')}
          act={t('notifications.remove')}
          danger
          busy={remove.isPending}
          problem={remove.error}
          onConfirm={() => remove.mutate({ params }, { onSuccess: close })}
          onClose={close}
        >
          {t('notifications.removeMeaning', { name: of.name })}
        </Confirm>
      ) : null}
    </li>
  );
}

/** What was sent last, what waits, and why the last attempt failed. */
function Sending({ of }: { readonly of: NotificationDestination }): ReactElement {
  const { t } = useTranslation();
  const { lastSentAt, lastFailure, waiting, dead } = of;
  return (
    <span className="flex basis-full flex-wrap gap-x-2 text-xs text-soft">
      <span>
        {lastSentAt === undefined ? (
          t('notifications.neverSent')
        ) : (
          <>
            {t('notifications.lastSent')} <Instant at={lastSentAt} as="ago" />
          </>
        )}
      </span>
      {waiting === 0 ? null : <span>{t('notifications.waiting', { count: waiting })}</span>}
      {dead === 0 ? null : <span>{t('notifications.lost', { count: dead })}</span>}
      {lastFailure === undefined ? null : (
        <span>
          {t('notifications.lastFailure', { reason: lastFailure.reason })} <Instant at={lastFailure.at} as="ago" />
        </span>
      )}
    </span>
  );
}

function TestDialog({
  of,
  onClose,
}: {
  readonly of: NotificationDestination;
  readonly onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const test = useDoing('testNotificationDestination');
  return (
    <Dialog title={t('notifications.test')} wide onClose={onClose}>
      {test.isIdle ? (
        <Button look="main" onClick={() => test.mutate({ params: { workspace, destination: of.id } })}>
          {t('notifications.test')}
        </Button>
      ) : test.error !== null ? (
        <ProblemNote problem={test.error} />
      ) : test.data === undefined ? (
        <Loading rows={4} />
      ) : (
        <Transcript of={test.data} first={test.data.request.to} request={test.data.request}>
          {t(test.data.verdict === 'sent' ? 'notifications.testWorks' : 'notifications.testFailed')}
        </Transcript>
      )}
    </Dialog>
  );
}
