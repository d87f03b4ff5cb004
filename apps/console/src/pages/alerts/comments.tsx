import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useWritten } from '../../parts/use-draft.ts';

/** Comments on an alert, encrypted like all data about the client. */
export function Comments({ alert }: { readonly alert: AlertDetail }): ReactElement {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  return (
    <Panel title={t('alerts.comments')}>
      <ul className="flex flex-col gap-2.5 text-sm">
        {alert.comments.map(({ at, author, text }) => (
          <li key={`${at}${author}`}>
            <p className="text-xs text-soft">
              {author} · <Instant at={at} as="ago" />
            </p>
            <p className="break-words whitespace-pre-wrap">{text ?? t('event.erased')}</p>
          </li>
        ))}
      </ul>
      {mayWork ? <CommentForm alert={alert.id} /> : null}
    </Panel>
  );
}

function CommentForm({ alert }: { readonly alert: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [text, setText] = useWritten(`comment ${workspace} ${alert}`);
  const comment = useDoing('commentAlert', ['readAlert'], { done: () => setText('') });
  return (
    <Form
      className="mt-3 flex flex-col gap-2"
      onSubmit={() => comment.mutate({ params: { workspace, alert }, body: { text } })}
    >
      <textarea
        aria-label={t('alerts.comment')}
        placeholder={t('alerts.comment')}
        required
        maxLength={4_000}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-card p-2 text-sm"
      />
      {comment.error === null ? null : <ProblemNote problem={comment.error} />}
      <Button type="submit" small className="self-end" busy={comment.isPending}>
        {t('alerts.say')}
      </Button>
    </Form>
  );
}
