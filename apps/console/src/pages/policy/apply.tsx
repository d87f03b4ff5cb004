import type { PolicyFile } from '@ringfence/policy';
import { Undo2, Upload } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Changes } from './changes.tsx';
import { policyChanges } from './policy-changes.ts';

interface ApplyProps {
  readonly files: readonly PolicyFile[];
  readonly kept: readonly PolicyFile[];
  readonly isChanged: boolean;
  readonly onDiscard: () => void;
}

/** Makes what was written the version that decides, after its differences were shown and a reason was given. */
export function Apply({ files, kept, isChanged, onDiscard }: ApplyProps): ReactElement {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button look="quiet" disabled={!isChanged} onClick={onDiscard}>
        <Undo2 aria-hidden className="size-4" />
        {t('policy.discard')}
      </Button>
      <Button look="main" disabled={!isChanged} onClick={() => setAsked(true)}>
        <Upload aria-hidden className="size-4" />
        {t('policy.apply')}
      </Button>
      {asked ? <ApplyQuestion files={files} kept={kept} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

interface ApplyQuestionProps {
  readonly files: readonly PolicyFile[];
  readonly kept: readonly PolicyFile[];
  readonly onClose: () => void;
}

function ApplyQuestion({ files, kept, onClose }: ApplyQuestionProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { account } = useSession();
  const notices = useNotices();
  const [comment, setComment] = useState('');
  const [changes] = useState(() => policyChanges(kept, files));
  const apply = useDoing('applyPolicy', ['readWorkspace', 'listPolicies']);
  const submit = (): void =>
    apply.mutate(
      { params: { workspace }, body: { files, author: account.name, comment } },
      {
        onSuccess: ({ version }) => {
          notices.say(t('policy.applied', { version }));
          onClose();
        },
      },
    );
  return (
    <Dialog title={t('policy.apply')} onClose={onClose} wide>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Changes changes={changes} />
        <Field
          label={t('policy.comment')}
          required
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        {apply.error === null ? null : <ProblemNote problem={apply.error} />}
        <Button type="submit" look="main" busy={apply.isPending} disabled={changes === undefined}>
          {t('policy.applyNow')}
        </Button>
      </form>
    </Dialog>
  );
}
