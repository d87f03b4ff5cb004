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
import { ComparedAnew } from './compared-anew.tsx';
import { type Differences, policyChanges } from './policy-changes.ts';
import { TestsFirst, usePlayedTests } from './tests-first.tsx';
import type { Draft } from './use-draft.ts';
import { useBuiltInActions } from '../deliveries/use-action-name.ts';
import { WarmStart } from './warm-start.tsx';

interface ApplyProps {
  readonly draft: Pick<Draft, 'files' | 'isChanged' | 'basedOn'>;
  /** The active version. */
  readonly kept: readonly PolicyFile[];
  readonly version: number;
}

/** Activates the draft, after its changes and test results were shown and a reason was given. */
export function Apply(props: ApplyProps): ReactElement {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button look="main" disabled={!props.draft.isChanged} onClick={() => setAsked(true)}>
        <Upload aria-hidden className="size-4" />
        {t('policy.apply')}
      </Button>
      {asked ? <ApplyQuestion {...props} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

function ApplyQuestion({ draft, kept, version, onClose }: ApplyProps & { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [comment, setComment] = useState('');
  const [isWarm, setWarm] = useState(false);
  const [isUntested, setUntested] = useState(false);
  const isFourEyes = useWorkspace()?.settings.fourEyes === true;
  const apply = useDoing('applyPolicy', ['readWorkspace', 'listPolicies', 'listPolicyStarts'], {
    done: (one) => notices.say(t(one.folding ? 'policyStart.title' : 'policy.applied', { version: one.version })),
  });
  const request = useDoing('requestPolicy', ['listPolicyRequests', 'listPolicies'], {
    done: () => notices.say(t('policy.requested')),
  });
  const isBusy = apply.isPending || request.isPending;
  const { files, basedOn } = draft;
  const changes = useChanges({ files, kept, version }, isBusy || apply.isSuccess);
  const takesTwo = isFourEyes || changes?.raisesControl === true;
  const tests = usePlayedTests(files, changes !== undefined);
  const passes = tests.data?.tests.every(({ passed }) => passed) ?? false;
  const body = { files, comment, ...(isWarm && changes?.hasNewFeatures === true ? { warmFrom: {} } : {}) };
  const ask = (): void => request.mutate({ params: { workspace }, body }, { onSuccess: onClose });
  const submit = (): void =>
    apply.mutate({ params: { workspace }, body: { ...body, ifVersion: version } }, { onSuccess: onClose });
  return (
    <Dialog title={t('policy.apply')} onClose={onClose} wide>
      <Form
        onSubmit={() => {
          if (takesTwo) ask();
          else submit();
        }}
      >
        {basedOn === version ? (
          <ComparedAnew active={version} isBusy={isBusy} />
        ) : (
          <p role="status" className="text-sm font-medium text-bad">
            {t('policy.movedOn', { basedOn })}
          </p>
        )}
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
        {changes?.hasNewFeatures === true ? <WarmStart isWarm={isWarm} onChange={setWarm} /> : null}
        <DialogEnd problem={apply.error ?? request.error} onCancel={onClose}>
          <Button type="submit" look="main" busy={isBusy} disabled={changes === undefined || !(passes || isUntested)}>
            {t(takesTwo ? 'policy.ask' : 'policy.applyNow')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

interface Compared {
  readonly files: readonly PolicyFile[];
  readonly kept: readonly PolicyFile[];
  readonly version: number;
}

/** The changes, recalculated if another version becomes active, unless it was activated here. */
function useChanges({ files, kept, version }: Compared, isApplied: boolean): Differences | undefined {
  const nameOf = useBuiltInActions();
  const compare = (): { readonly version: number; readonly changes: Differences | undefined } => ({
    version,
    changes: policyChanges(kept, files, nameOf),
  });
  const [seen, see] = useState(compare);
  if (seen.version !== version && !isApplied) see(compare());
  return seen.changes;
}
