import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/operations.generated.ts';
import { listing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, RowList } from '../../parts/row-list.tsx';
import { useSpan } from '../../url/use-span.ts';
import { useActionWords } from './audit-actions.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditTools } from './audit-tools.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { useWorkspaceWords } from './workspace-words.ts';

/** The tamper-evident audit log: who changed and who viewed what. */
export function AuditPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayRead = useRight('administer');
  const span = useSpan();
  const [open, setOpen] = useState<AuditEntry>();
  const { scope, actor, action, target } = useSearch({ from: '/w/$workspace/audit' });
  const wanted = { ...span, actor, action, target };
  const isAll = scope === 'all';
  const here = useInfiniteQuery({
    ...listing('listWorkspaceAudit', { params: { workspace }, query: wanted }),
    enabled: !isAll,
  });
  const everywhere = useInfiniteQuery({ ...listing('listAudit', { query: wanted }), enabled: isAll });
  const columns = useColumns(isAll);
  return (
    <Page
      title={t('section.audit')}
      lead={t('audit.lead')}
      tools={mayRead ? <AuditTools wanted={wanted} scope={scope} /> : null}
    >
      {mayRead ? <AuditFilters /> : null}
      <Panel flush>
        <RowList
          label={t('section.audit')}
          of={isAll ? everywhere : here}
          columns={columns}
          keyOf={({ seq }) => String(seq)}
          onOpen={setOpen}
          empty={
            <Empty sign={ScrollText} title={t('audit.none')}>
              {t('entity.noneHint')}
            </Empty>
          }
        />
      </Panel>
      {open === undefined ? null : <EntryDialog entry={open} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

/** @param isAll whether the list contains entries of all workspaces */
function useColumns(isAll: boolean): readonly Column<AuditEntry>[] {
  const { t } = useTranslation();
  const wordsOf = useActionWords();
  const workspaceOf = useWorkspaceWords();
  return useMemo<readonly Column<AuditEntry>[]>(
    () => [
      { name: 'at', title: t('audit.at'), width: '12.5rem', cell: ({ at }) => <Instant at={at} /> },
      {
        name: 'actor',
        title: t('audit.actor'),
        width: 'minmax(10rem,1fr)',
        cell: ({ actor }) => <span className="font-medium">{actor}</span>,
      },
      ...(isAll
        ? [
            {
              name: 'workspace',
              title: t('audit.workspace'),
              width: 'minmax(8rem,0.7fr)',
              cell: ({ workspace: of }: AuditEntry) => workspaceOf(of),
            },
          ]
        : []),
      {
        name: 'action',
        title: t('audit.action'),
        width: 'minmax(10rem,1fr)',
        cell: ({ action }) => wordsOf(action),
      },
      {
        name: 'target',
        title: t('audit.target'),
        width: 'minmax(10rem,1.5fr)',
        cell: ({ target }) => <code className="font-mono text-xs text-soft">{target ?? '–'}</code>,
      },
      {
        name: 'address',
        title: t('audit.address'),
        width: '9rem',
        cell: ({ address }) => <span className="text-soft">{address}</span>,
      },
    ],
    [t, wordsOf, isAll, workspaceOf],
  );
}
