import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyList } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ChangeComment } from './change-comment.tsx';
import { type CsvLine, readItemsCsv } from './items-csv.ts';
import { putLines, type RefusedLine } from './put-lines.ts';

interface ImportItemsProps {
  readonly list: Pick<PolicyList, 'name' | 'of'>;
  readonly onClose: () => void;
}

type Readable = Extract<CsvLine, { readonly parts: readonly string[] }>;

/** Imports the items of a CSV file, and reports each line that was skipped. */
export function ImportItems({ list, onClose }: ImportItemsProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const client = useQueryClient();
  const [lines, setLines] = useState<readonly CsvLine[]>([]);
  const [comment, setComment] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly RefusedLine[]>([]);
  const columns = list.of.join(', ');
  const readable = lines.filter((line): line is Readable => 'parts' in line);
  const unreadable = lines.flatMap((line) =>
    'refused' in line
      ? [{ line: line.line, text: line.text, why: t(`lists.refused.${line.refused}`, { columns }) }]
      : [],
  );
  const left = [...unreadable, ...refused];
  const run = async (): Promise<void> => {
    setBusy(true);
    const done = await putLines({ workspace, list: list.name, comment }, readable);
    setBusy(false);
    await Promise.all(
      (['listListItems', 'listLists'] as const).map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
    if (done.put > 0) notices.say(t('lists.imported', { count: done.put }));
    if (done.refused.length === 0) onClose();
    setLines(lines.filter((line) => 'refused' in line));
    setRefused(done.refused);
  };
  return (
    <Dialog title={t('lists.importCsv')} onClose={onClose}>
      <Form onSubmit={() => void run()}>
        <p className="text-sm text-soft">{t('lists.importHint', { columns })}</p>
        <Field
          label={t('lists.chooseFile')}
          type="file"
          accept=".csv,text/csv,text/plain"
          className="[&_input]:h-9 [&_input]:py-1.5"
          onChange={(event) => {
            setRefused([]);
            void event.target.files?.[0]
              ?.arrayBuffer()
              .then((file) => setLines(readItemsCsv(new Uint8Array(file), list.of)));
          }}
        />
        {left.length === 0 ? null : <RefusedLines lines={left} />}
        <ChangeComment value={comment} onChange={setComment} />
        <DialogEnd onCancel={onClose}>
          <Button type="submit" look="main" disabled={readable.length === 0} busy={busy}>
            {t('lists.importAct', { count: readable.length })}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

/** Further lines are counted but not shown. */
const shownLines = 50;

function RefusedLines({ lines }: { readonly lines: readonly RefusedLine[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <div role="status" className="rounded-md bg-warn-wash p-3 text-sm">
      <p className="font-medium text-warn">{t('lists.refusedLines', { count: lines.length })}</p>
      <ul
        tabIndex={0}
        aria-label={t('lists.refusedLines', { count: lines.length })}
        className="mt-1 max-h-40 overflow-auto"
      >
        {lines.slice(0, shownLines).map(({ line, text, why }) => (
          <li key={line} className="flex gap-2 text-xs">
            <span className="w-8 shrink-0 text-right text-soft">{line}</span>
            <code className="min-w-0 truncate font-mono">{text}</code>
            <span className="ml-auto shrink-0 text-soft">{why}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
