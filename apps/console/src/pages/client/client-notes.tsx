import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useWritten } from '../../parts/use-draft.ts';

/** Notes about a client, encrypted with its key and erased with it. */
export function ClientNotes({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const notes = useQuery(asking('listClientNotes', { params: { workspace, client } }));
  return (
    <Panel title={t('clientNotes.title')}>
      <Asked of={notes} rows={2}>
        {({ items }) => (
          <ul className="flex flex-col gap-2.5 text-sm">
            {items.length === 0 ? <li className="text-soft">{t('clientNotes.none')}</li> : null}
            {items.map(({ at, author, text }) => (
              <li key={`${at}${author}`}>
                <p className="text-xs text-soft">
                  {author} · <Instant at={at} as="ago" />
                </p>
                <p className="break-words whitespace-pre-wrap">{text}</p>
              </li>
            ))}
          </ul>
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
  const submit = (): void => add.mutate({ params: { workspace, client }, body: { text } });
  return (
    <Form className="mt-3 flex flex-col gap-2" onSubmit={submit}>
      <textarea
        aria-label={t('clientNotes.write')}
        placeholder={t('clientNotes.write')}
        required
        maxLength={4_000}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-card p-2 text-sm"
      />
      {add.error === null ? null : <ProblemNote problem={add.error} />}
      <Button type="submit" small className="self-end" busy={add.isPending}>
        {t('clientNotes.add')}
      </Button>
    </Form>
  );
}
