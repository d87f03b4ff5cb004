import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ActionDetail, Operations } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Instant } from '../../parts/instant.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';
import { ActionBadge } from './action-badge.tsx';
import { AttemptList } from './attempt-list.tsx';
import { useActionName } from './use-action-name.ts';

/** One action: the request to the bank, every attempt and the response. */
export function ActionPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { action: id } = useParams({ from: '/w/$workspace/deliveries/$action' });
  const action = useQuery(asking('readAction', { params: { workspace, action: id }, query: usePersonal() }));
  return (
    <Page
      title={t('action.title')}
      lead={
        <span className="inline-flex items-center gap-1 font-mono text-xs">
          {id} <CopyButton text={id} />
        </span>
      }
      tools={action.data === undefined ? null : <ActionTools action={action.data} />}
    >
      <Asked of={action}>
        {(found) => (
          <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] items-start gap-4">
            <ActionFacts action={found} />
            <Panel title={t('action.attempts')} flush>
              {found.attempts === 0 ? (
                <p className="p-4 text-sm text-soft">{t('action.noAttempts')}</p>
              ) : (
                <AttemptList action={id} />
              )}
            </Panel>
          </div>
        )}
      </Asked>
    </Page>
  );
}

function ActionFacts({ action }: { readonly action: ActionDetail }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const actionName = useActionName();
  const ruleNames = useRuleNames();
  const { client, message, dueAt, finishedAt } = action;
  return (
    <Panel title={actionName(action.action)} tools={<ActionBadge state={action.state} />}>
      <Facts
        of={[
          { name: t('event.state'), value: t(`action.stateMeaning.${action.state}`) },
          {
            name: t('event.title'),
            value: (
              <Link
                to="/w/$workspace/events/$event"
                params={{ workspace, event: action.event }}
                className="font-mono text-xs text-fence hover:underline"
              >
                {action.event}
              </Link>
            ),
          },
          {
            name: t('events.rule'),
            value: (
              <Link
                to="/w/$workspace/events"
                params={{ workspace }}
                search={{ reason: action.reason }}
                className="text-fence hover:underline"
              >
                {ruleLabel(action.reason, ruleNames)}
              </Link>
            ),
          },
          {
            name: t('event.client'),
            value: <EntityLink kind="client" name={client} of={undefined} />,
          },
          { name: t('event.session'), value: action.session ?? '–' },
          { name: t('action.message'), value: message === undefined || message === '' ? '–' : message },
          { name: t('action.decided'), value: <Instant at={action.decidedAt} /> },
          { name: t('action.expires'), value: <Instant at={action.expiresAt} /> },
          ...(dueAt === undefined ? [] : [{ name: t('action.due'), value: <Instant at={dueAt} /> }]),
          ...(finishedAt === undefined ? [] : [{ name: t('action.finished'), value: <Instant at={finishedAt} /> }]),
        ]}
      />
    </Panel>
  );
}

const changed = ['readAction', 'listActions'] as const satisfies readonly (keyof Operations)[];
const again: readonly ActionDetail['state'][] = ['expired', 'dead', 'notExecuted', 'observed'];

function ActionTools({ action }: { readonly action: ActionDetail }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const mayWork = useRight('work');
  const done = (): void => notices.say(t('action.accepted'));
  const redeliver = useDoing('redeliverAction', changed, { done });
  const [confirming, setConfirming] = useState(false);
  const release = useDoing('releaseAction', changed, { done });
  const drop = useDoing('dropAction', changed, { done });
  if (!mayWork) return null;
  const input = { params: { workspace, action: action.id } };
  const problem = redeliver.error ?? release.error ?? drop.error;
  return (
    <>
      {problem === null ? null : <ProblemNote problem={problem} />}
      {again.includes(action.state) ? (
        <Button look="main" busy={redeliver.isPending} onClick={() => redeliver.mutate(input)}>
          {t('action.redeliver')}
        </Button>
      ) : null}
      {action.state === 'executed' ? <Button onClick={() => setConfirming(true)}>{t('action.again')}</Button> : null}
      {confirming ? (
        <Confirm
          title={t('action.again')}
          act={t('action.redeliver')}
          danger
          busy={redeliver.isPending}
          problem={redeliver.error}
          onConfirm={() =>
            redeliver.mutate({ ...input, body: { again: true } }, { onSuccess: () => setConfirming(false) })
          }
          onClose={() => setConfirming(false)}
        >
          {t('action.againMeaning')}
        </Confirm>
      ) : null}
      {action.state === 'capped' ? (
        <>
          <Button look="danger" busy={drop.isPending} onClick={() => drop.mutate(input)}>
            {t('action.drop')}
          </Button>
          <Button look="main" busy={release.isPending} onClick={() => release.mutate(input)}>
            {t('action.release')}
          </Button>
        </>
      ) : null}
    </>
  );
}
