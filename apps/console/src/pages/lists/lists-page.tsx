import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyList } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { AskedBy } from './asked-by.tsx';

/** All lists: their size, the rules that use them, and the last change. */
export function ListsPage(): ReactElement {
  const { t } = useTranslation();
  const lists = useQuery(asking('listLists', { params: { workspace: useWorkspaceName() } }));
  return (
    <Page title={t('section.lists')} lead={t('lists.lead')}>
      <Panel flush>
        <Asked of={lists}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty sign={ListChecks} title={t('lists.none')}>
                {t('lists.noneHint')}
              </Empty>
            ) : (
              <ul className="divide-y divide-line overflow-x-auto text-sm">
                <li aria-hidden className={`${columns} h-8`}>
                  {(['item', 'items', 'rules', 'when'] as const).map((name) => (
                    <span key={name} className={`eyebrow ${name === 'items' ? 'text-right' : ''}`}>
                      {t(`lists.column.${name}`)}
                    </span>
                  ))}
                </li>
                {items.map((list) => (
                  <ListRow key={list.name} list={list} />
                ))}
              </ul>
            )
          }
        </Asked>
      </Panel>
    </Page>
  );
}

const columns = 'grid min-w-[46rem] grid-cols-[minmax(0,3fr)_7rem_minmax(0,4fr)_minmax(0,2fr)] items-center gap-6 px-4';

function ListRow({ list }: { readonly list: PolicyList }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const { name, description, of, live, declared, items, changedAt, changedBy } = list;
  const total = items + declared;
  return (
    <li className={`${columns} py-3`}>
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          {live ? (
            <Link
              to="/w/$workspace/lists/$list"
              params={{ workspace, list: name }}
              className="font-medium text-fence hover:underline"
            >
              {name}
            </Link>
          ) : (
            <b className="font-medium">{name}</b>
          )}
          {live ? (
            <Badge tone="good">{t('lists.live')}</Badge>
          ) : (
            <Badge title={t('lists.fixedHint')}>{t('lists.fixed')}</Badge>
          )}
        </span>
        <span className="block truncate text-xs text-soft">
          <code className="font-mono">{of.join(' + ')}</code>
          {description === undefined ? '' : ` · ${description}`}
        </span>
      </span>
      <span className="text-right font-medium">{t('lists.items', { count: total, shown: formats.number(total) })}</span>
      <AskedBy rules={list.rules} />
      <span className="text-xs text-soft">
        {changedAt === undefined ? null : (
          <>
            <Instant at={changedAt} as="ago" /> · {t('lists.changedBy', { name: changedBy })}
          </>
        )}
      </span>
    </li>
  );
}
