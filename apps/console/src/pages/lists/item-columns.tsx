import type { TFunction } from 'i18next';
import type { ListItem } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/row-list.tsx';

interface ItemColumnsOf {
  /** The facts whose values the list contains. */
  readonly of: readonly string[];
  readonly state: 'present' | 'ended';
  /** Absent for users with read-only access. */
  readonly onRemove?: (item: ListItem) => void;
  readonly onPutBack?: (item: ListItem) => void;
}

/** Columns of the items of a list. */
export function itemColumns(
  t: TFunction,
  { of, state, onRemove, onPutBack }: ItemColumnsOf,
): readonly Column<ListItem>[] {
  return [
    ...of.map((path, at) => ({
      name: path,
      title: path,
      width: 'minmax(9rem,2fr)',
      cell: ({ parts }: ListItem) => <span className="font-mono text-xs">{parts[at]}</span>,
    })),
    ...(state === 'present' ? [] : [endColumn(t)]),
    {
      name: 'comment',
      title: t('lists.comment'),
      width: 'minmax(10rem,3fr)',
      cell: ({ comment }) => (
        <span title={comment} className="text-soft">
          {comment}
        </span>
      ),
    },
    { name: 'author', title: t('audit.actor'), width: 'minmax(8rem,1.4fr)', cell: ({ author }) => author },
    { name: 'added', title: t('lists.when'), width: '8rem', cell: ({ addedAt }) => <Instant at={addedAt} as="ago" /> },
    {
      name: 'ends',
      title: t('lists.ends'),
      width: '12rem',
      cell: ({ expiresAt }) =>
        expiresAt === undefined ? (
          <span className="text-soft">{t('lists.end.never')}</span>
        ) : (
          <Instant at={expiresAt} />
        ),
    },
    ...actions(t, state === 'present' ? onRemove : onPutBack, state === 'present' ? 'lists.remove' : 'lists.putBack'),
  ];
}

function endColumn(t: TFunction): Column<ListItem> {
  return {
    name: 'state',
    title: t('event.state'),
    width: '8rem',
    cell: ({ state, removedBy }) => (
      <Badge
        tone={state === 'expired' ? 'warn' : 'plain'}
        {...(removedBy === undefined ? {} : { title: t('lists.removedBy', { name: removedBy }) })}
      >
        {t(`lists.state.${state}`)}
      </Badge>
    ),
  };
}

function actions(
  t: TFunction,
  act: ((item: ListItem) => void) | undefined,
  name: 'lists.remove' | 'lists.putBack',
): readonly Column<ListItem>[] {
  if (act === undefined) return [];
  return [
    {
      name: 'act',
      title: t('act.more'),
      width: '7.5rem',
      right: true,
      cell: (item) => (
        <Button small look="quiet" onClick={() => act(item)}>
          {t(name)}
        </Button>
      ),
    },
  ];
}
