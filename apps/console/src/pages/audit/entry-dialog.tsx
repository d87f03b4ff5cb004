import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/operations.generated.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Instant } from '../../parts/instant.tsx';
import { useActionWords } from './audit-actions.ts';
import { auditChanges, type AuditChange } from './audit-changes.ts';
import { useWorkspaceWords } from './workspace-words.ts';

/** All fields of an entry, with the values before and after. */
export function EntryDialog({
  entry,
  onClose,
}: {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const wordsOf = useActionWords();
  const workspaceOf = useWorkspaceWords();
  const changes = auditChanges(entry.detail);
  return (
    <Dialog title={wordsOf(entry.action)} onClose={onClose} wide>
      <Facts
        of={[
          { name: t('audit.at'), value: <Instant at={entry.at} /> },
          { name: t('audit.actor'), value: entry.actor },
          { name: t('audit.workspace'), value: workspaceOf(entry.workspace) },
          { name: t('audit.target'), value: entry.target ?? '–' },
          { name: t('audit.address'), value: entry.address },
          { name: t('audit.code'), value: <code className="font-mono text-xs">{entry.action}</code> },
          { name: t('audit.request'), value: <code className="font-mono text-xs">{entry.requestId}</code> },
          { name: t('audit.hash'), value: <code className="font-mono text-xs break-all">{entry.hash}</code> },
        ]}
      />
      {changes.length === 0 ? null : <Changes of={changes} />}
      {Object.keys(entry.detail).length === 0 ? null : (
        <details className="mt-3">
          <summary className="mb-2 cursor-pointer text-sm text-soft">{t('audit.detail')}</summary>
          <CodeBlock label={t('audit.detail')} text={JSON.stringify(entry.detail, undefined, 2)} />
        </details>
      )}
    </Dialog>
  );
}

function Changes({ of }: { readonly of: readonly AuditChange[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className="mt-3 max-h-72 overflow-y-auto rounded-md border border-line" tabIndex={0}>
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-soft">
          <tr>
            <th className="px-3 py-1.5 font-medium">{t('audit.member')}</th>
            <th className="px-3 py-1.5 font-medium">{t('audit.before')}</th>
            <th className="px-3 py-1.5 font-medium">{t('audit.after')}</th>
          </tr>
        </thead>
        <tbody className="font-mono text-xs">
          {of.map(({ path, before, after }) => (
            <tr key={path} className="border-t border-line align-top">
              <td className="px-3 py-1.5">{path}</td>
              <td className="px-3 py-1.5 break-all text-bad">{before ?? '–'}</td>
              <td className="px-3 py-1.5 break-all text-fence">{after ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
