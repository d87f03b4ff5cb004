import { Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import type { PolicyList, ListItem } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { saveText } from '../../format/save-text.ts';
import { Button } from '../../parts/button.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { writeItemsCsv } from './items-csv.ts';

const pageItems = 1_000;

/** Exports a list as CSV that can be imported again. The export is recorded in the audit log. */
export function ExportItems({ list }: { readonly list: Pick<PolicyList, 'name' | 'of'> }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      const items = await allItems(workspace, list.name);
      const rows = items.map(({ parts, expiresAt }) => [...parts, ...(expiresAt === undefined ? [] : [expiresAt])]);
      saveText(`${list.name}.csv`, writeItemsCsv(list.of, rows), 'text/csv');
    } catch (error) {
      notices.warn(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={busy} onClick={() => void run()} title={t('shell.personalHint')}>
      <Download aria-hidden className="size-4" />
      {t('lists.exportCsv')}
    </Button>
  );
}

async function allItems(workspace: string, list: string): Promise<readonly ListItem[]> {
  const items: ListItem[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: { readonly items: readonly ListItem[]; readonly next?: string } = await call('listListItems', {
      params: { workspace, list },
      query: { limit: pageItems, cursor, show: true },
    });
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}
