import { Link } from '@tanstack/react-router';
import { SendHorizonal } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ActionBadge } from '../deliveries/action-badge.tsx';
import { useActionName } from '../deliveries/use-action-name.ts';
import { AttemptList } from '../deliveries/attempt-list.tsx';
import { TriggerAction } from './trigger-action.tsx';

/** Actions of an event with every attempt and response. */
export function EventActions({ event }: { readonly event: EventDetail }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const actionName = useActionName();
  const { actions } = event;
  return (
    <Panel title={t('event.actions')} tools={<TriggerAction event={event} />}>
      {actions.length === 0 ? (
        <Empty sign={SendHorizonal} title={t('event.noActions')} />
      ) : (
        <div className="flex flex-col gap-3">
          {actions.map((action) => (
            <article key={action.id} className="rounded-md border border-line">
              <header className="flex flex-wrap items-center gap-x-2 px-3 py-2 text-sm">
                <ActionBadge state={action.state} />
                <Link
                  to="/w/$workspace/deliveries/$action"
                  params={{ workspace, action: action.id }}
                  className="font-medium text-fence hover:underline"
                >
                  {actionName(action.action)}
                </Link>
                <span className="text-soft">{t('event.becauseOf', { reason: action.reason })}</span>
                <span className="ml-auto text-xs text-soft">
                  <Instant at={action.decidedAt} as="clock" />
                </span>
              </header>
              {action.message === undefined || action.message === '' ? null : (
                <p className="px-3 pb-2 text-sm text-soft">“{action.message}”</p>
              )}
              {action.attempts === 0 ? null : <AttemptList action={action.id} />}
            </article>
          ))}
        </div>
      )}
    </Panel>
  );
}
