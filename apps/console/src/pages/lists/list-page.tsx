import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { ListChecks, Plus } from 'lucide-react';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyList, ListItem } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking, listing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { MissingPage } from '../../shell/missing-page.tsx';
import { AskedBy } from './asked-by.tsx';
import { ExportItems } from './export-items.tsx';
import { ImportItems } from './import-items.tsx';
import { itemColumns } from './item-columns.tsx';
import { ListFilters } from './list-filters.tsx';
import { PutItem } from './put-item.tsx';
import { RemoveItem } from './remove-item.tsx';
import { usePutBack } from './use-put-back.ts';

/** One live list: its present and recently ended items with author, reason and expiry. */
export function ListPage(): ReactElement {
  const { list: name } = useParams({ from: '/w/$workspace/lists/$list' });
  const lists = useQuery(asking('listLists', { params: { workspace: useWorkspaceName() } }));
  return (
    <Asked of={lists} rows={12}>
      {({ items }) => {
        const list = items.find((one) => one.name === name);
        return list === undefined ? <MissingPage /> : <OpenList list={list} />;
      }}
    </Asked>
  );
}

function OpenList({ list }: { readonly list: PolicyList }): ReactElement {
  return (
    <Page title={list.name} lead={<ListLead list={list} />} tools={<ListTools list={list} />}>
      <ListFilters />
      <Items list={list} />
    </Page>
  );
}

function ListLead({ list }: { readonly list: PolicyList }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { of, items, max, declared, description, rules } = list;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <code className="font-mono text-xs">{of.join(' + ')}</code>
      {description === undefined ? null : <span>{description}</span>}
      <span>
        {t('lists.items', { count: items, shown: formats.number(items) })}
        {max === undefined ? '' : ` ${t('lists.max', { max: formats.number(max) })}`}
        {declared === 0 ? '' : ` · ${t('lists.declared', { count: declared, shown: formats.number(declared) })}`}
      </span>
      <span className="inline-flex items-center gap-2">
        {t('lists.rules')} <AskedBy rules={rules} />
      </span>
    </div>
  );
}

function ListTools({ list }: { readonly list: PolicyList }): ReactElement {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const mayShow = useRight('show');
  const [asked, setAsked] = useState<'add' | 'import'>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      {mayShow ? <ExportItems list={list} /> : null}
      {mayWork ? (
        <>
          <Button onClick={() => setAsked('import')}>{t('lists.importCsv')}</Button>
          <Button look="main" onClick={() => setAsked('add')}>
            <Plus aria-hidden className="size-4" />
            {t('lists.add')}
          </Button>
        </>
      ) : null}
      {asked === 'add' ? (
        <Dialog title={t('lists.add')} onClose={close}>
          <PutItem list={list} onDone={close} />
        </Dialog>
      ) : null}
      {asked === 'import' ? <ImportItems list={list} onClose={close} /> : null}
    </>
  );
}

function Items({ list }: { readonly list: PolicyList }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const { state = 'present', text } = useSearch({ from: '/w/$workspace/lists/$list' });
  const query = { ...usePersonal(), state, text };
  const items = useInfiniteQuery(listing('listListItems', { params: { workspace, list: list.name }, query }));
  const [changing, setChanging] = useState<ListItem>();
  const [removing, setRemoving] = useState<ListItem>();
  const putBack = usePutBack(list.name);
  const columns = useMemo(
    () =>
      itemColumns(t, {
        of: list.of,
        state,
        ...(mayWork
          ? {
              onRemove: setRemoving,
              // An expired item needs a new expiry; a removed one keeps its own.
              onPutBack: (item: ListItem) => (item.state === 'expired' ? setChanging(item) : putBack(item)),
            }
          : {}),
      }),
    [t, list.of, state, mayWork, putBack],
  );
  return (
    <Panel flush>
      <RowList
        label={t('lists.views')}
        of={items}
        columns={columns}
        keyOf={({ ref }) => ref}
        onOpen={(item) => mayWork && setChanging(item)}
        empty={<NoItems state={state} isNarrow={text !== undefined} />}
      />
      {changing === undefined ? null : (
        <Dialog title={t('lists.change')} onClose={() => setChanging(undefined)}>
          <PutItem list={list} item={changing} onDone={() => setChanging(undefined)} />
        </Dialog>
      )}
      {removing === undefined ? null : (
        <RemoveItem list={list.name} item={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Panel>
  );
}

interface NoItemsProps {
  readonly state: 'present' | 'ended';
  readonly isNarrow: boolean;
}

function NoItems({ state, isNarrow }: NoItemsProps): ReactElement {
  const { t } = useTranslation();
  if (isNarrow) return <Empty sign={ListChecks} title={t('lists.noneFound')} />;
  if (state === 'ended') return <Empty sign={ListChecks} title={t('lists.noneEnded')} />;
  return (
    <Empty sign={ListChecks} title={t('lists.nonePresent')}>
      {t('lists.nonePresentHint')}
    </Empty>
  );
}
