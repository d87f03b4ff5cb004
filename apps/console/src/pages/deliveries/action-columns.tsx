import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import type { Action } from '../../api/operations.generated.ts';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/row-list.tsx';
import { ActionBadge } from './action-badge.tsx';

/** Columns of the list of actions. */
export function actionColumns(
  t: TFunction,
  workspace: string,
  {
    nameOf,
    ruleNames,
  }: {
    readonly nameOf: (action: number) => string;
    readonly ruleNames: ReadonlyMap<number, string> | undefined;
  },
): readonly Column<Action>[] {
  return [
    {
      name: 'at',
      title: t('action.decided'),
      width: '10.75rem',
      cell: ({ id, decidedAt }) => (
        <Link
          to="/w/$workspace/deliveries/$action"
          params={{ workspace, action: id }}
          className="hover:text-fence hover:underline"
        >
          <Instant at={decidedAt} />
        </Link>
      ),
    },
    { name: 'action', title: t('action.what'), width: 'minmax(9rem,1fr)', cell: ({ action }) => nameOf(action) },
    { name: 'state', title: t('event.state'), width: '7.5rem', cell: ({ state }) => <ActionBadge state={state} /> },
    {
      name: 'client',
      title: t('event.client'),
      width: 'minmax(8rem,1fr)',
      cell: ({ client, erased }) => <EntityLink kind="client" name={client} of={undefined} erased={erased === true} />,
    },
    {
      name: 'reason',
      title: t('events.rule'),
      width: 'minmax(8rem,1.2fr)',
      cell: ({ reason }) => (
        <span title={ruleNames?.get(reason) ?? ''}>
          <span className="font-mono text-xs">{reason}</span>{' '}
          <span className="text-soft">{ruleNames?.get(reason)}</span>
        </span>
      ),
    },
    {
      name: 'message',
      title: t('action.message'),
      width: 'minmax(10rem,2fr)',
      isWide: true,
      cell: ({ message }) => (
        <span className="text-soft">{message === undefined || message === '' ? '–' : message}</span>
      ),
    },
    {
      name: 'attempts',
      title: t('action.attempts'),
      width: '5rem',
      right: true,
      isWide: true,
      cell: ({ attempts }) => attempts,
    },
  ];
}
