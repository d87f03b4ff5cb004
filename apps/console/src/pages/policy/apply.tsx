import type { PolicyFile } from '@ringfence/policy';
import { Upload } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Changes } from './changes.tsx';
import { policyChanges } from './policy-changes.ts';
import { TestsFirst, usePlayedTests } from './tests-first.tsx';
import { WarmStart } from './warm-start.tsx';

interface ApplyProps {
  readonly files: readonly PolicyFile[];
  readonly kept: readonly PolicyFile[];
  readonly isChanged: boolean;
}

/** Makes what was written the version that decides: after its differences and its tests were shown, for a reason. */
export function Apply({ files, kept, isChanged }: ApplyProps): ReactElement {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  return (
    <>
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
  const notices = useNotices();
  const [comment, setComment] = useState('');
  const [isWarm, setWarm] = useState(false);
  const [changes] = useState(() => policyChanges(kept, files));
  const [isUntested, setUntested] = useState(false);
  const tests = usePlayedTests(files, changes !== undefined);
  const passes = tests.data?.tests.every(({ passed }) => passed) ?? false;
  const takesTwo = useWorkspace()?.settings.fourEyes === true;
  const apply = useDoing('applyPolicy', ['readWorkspace', 'listPolicies', 'listPolicyStarts'], {
    done: ({ version, folding }) => notices.say(t(folding ? 'policyStart.title' : 'policy.applied', { version })),
  });
  const request = useDoing('requestPolicy', ['listPolicyRequests', 'listPolicies'], {
    done: () => notices.say(t('policy.requested')),
  });
  const ask = (): void => request.mutate({ params: { workspace }, body: { files, comment } }, { onSuccess: onClose });
  const submit = (): void =>
    apply.mutate(
      { params: { workspace }, body: { files, comment, ...(isWarm ? { warmFrom: {} } : {}) } },
      { onSuccess: onClose },
    );
  const problem = apply.error ?? request.error;
  return (
    <Dialog title={t('policy.apply')} onClose={onClose} wide>
      <Form
        onSubmit={() => {
          if (takesTwo) ask();
          else submit();
        }}
      >
        <Changes changes={changes} />
        {changes === undefined ? null : (
          <TestsFirst tests={tests} isUntested={isUntested} onChange={setUntested} onOpen={onClose} />
        )}
        <Field
          label={t('policy.comment')}
          required
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        {takesTwo ? null : <WarmStart isWarm={isWarm} onChange={setWarm} />}
        <DialogEnd problem={problem} onCancel={onClose}>
          <Button
            type="submit"
            look="main"
            busy={apply.isPending || request.isPending}
            disabled={changes === undefined || !(passes || isUntested)}
          >
            {t(takesTwo ? 'policy.ask' : 'policy.applyNow')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}
