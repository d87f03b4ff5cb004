import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersonal } from '../../api/personal.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Panel } from '../../parts/panel.tsx';
import { MaskedRemarks, Remark, RemarkForm } from '../../parts/remark.tsx';
import { useWritten } from '../../parts/use-draft.ts';

/** Notes about a client, encrypted with its key and erased with it. */
export function ClientNotes({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const personal = usePersonal();
  const notes = useQuery(asking('listClientNotes', { params: { workspace, client }, query: personal }));
  return (
    <Panel title={t('clientNotes.title')}>
      <Asked of={notes} rows={2}>
        {({ items }) => (
          <>
            <ul className="flex flex-col gap-2.5 text-sm">
              {items.length === 0 ? <li className="text-soft">{t('clientNotes.none')}</li> : null}
              {items.map(({ at, author, text }) => (
                <Remark key={`${at}${author}`} {...{ at, author, text }} />
              ))}
            </ul>
            <MaskedRemarks count={items.length} />
          </>
        )}
      </Asked>
      {mayWork ? <NoteForm client={client} /> : null}
    </Panel>
  );
}

function NoteForm({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [text, setText] = useWritten(`note ${workspace} ${client}`);
  const add = useDoing('addClientNote', ['listClientNotes'], { done: () => setText('') });
  return (
    <RemarkForm
      label={t('clientNotes.write')}
      act={t('clientNotes.add')}
      text={text}
      onText={setText}
      onSubmit={() => add.mutate({ params: { workspace, client }, body: { text } })}
      busy={add.isPending}
      problem={add.error}
    />
  );
}
