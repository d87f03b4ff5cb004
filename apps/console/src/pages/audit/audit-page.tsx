import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/operations.generated.ts';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, RowList } from '../../parts/row-list.tsx';
import { useSpan } from '../../url/use-span.ts';

/** Who did what, and who looked at what, from the log that nobody can change unseen. */
export function AuditPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const [open, setOpen] = useState<AuditEntry>();
  const entries = useInfiniteQuery(listing('listWorkspaceAudit', { params: { workspace }, query: span }));
  const columns = useMemo<readonly Column<AuditEntry>[]>(
    () => [
      { name: 'at', title: t('audit.at'), width: '12.5rem', cell: ({ at }) => <Instant at={at} /> },
      {
        name: 'actor',
        title: t('audit.actor'),
        width: 'minmax(10rem,1fr)',
        cell: ({ actor }) => <span className="font-medium">{actor}</span>,
      },
      {
        name: 'action',
        title: t('audit.action'),
        width: 'minmax(10rem,1fr)',
        cell: ({ action }) => <code className="font-mono text-xs">{action}</code>,
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
    [t],
  );
  return (
    <Page title={t('section.audit')} lead={t('audit.lead')}>
      <Panel flush>
        <RowList
          label={t('section.audit')}
          of={entries}
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

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Dialog title={entry.action} onClose={onClose} wide>
      <Facts
        of={[
          { name: t('audit.at'), value: <Instant at={entry.at} /> },
          { name: t('audit.actor'), value: entry.actor },
          { name: t('audit.target'), value: entry.target ?? '–' },
          { name: t('audit.address'), value: entry.address },
          { name: t('audit.request'), value: <code className="font-mono text-xs">{entry.requestId}</code> },
          { name: t('audit.hash'), value: <code className="font-mono text-xs break-all">{entry.hash}</code> },
        ]}
      />
      <div className="mt-3">
        <CodeBlock label={t('audit.detail')} text={JSON.stringify(entry.detail, undefined, 2)} />
      </div>
    </Dialog>
  );
}
