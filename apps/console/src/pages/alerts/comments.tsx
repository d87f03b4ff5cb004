import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Panel } from '../../parts/panel.tsx';
import { MaskedRemarks, Remark, RemarkForm } from '../../parts/remark.tsx';
import { useWritten } from '../../parts/use-draft.ts';

/** Comments on an alert, encrypted like all data about the client. */
export function Comments({ alert }: { readonly alert: AlertDetail }): ReactElement {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  return (
    <Panel title={t('alerts.comments')}>
      <ul className="flex flex-col gap-2.5 text-sm">
        {alert.comments.map(({ at, author, text }) => (
          <Remark key={`${at}${author}`} {...{ at, author, text }} />
        ))}
      </ul>
      <MaskedRemarks count={alert.comments.length} />
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
    <RemarkForm
      label={t('alerts.comment')}
      act={t('alerts.say')}
      text={text}
      onText={setText}
      onSubmit={() => comment.mutate({ params: { workspace, alert }, body: { text } })}
      busy={comment.isPending}
      problem={comment.error}
    />
  );
}
