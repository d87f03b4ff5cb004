import { Hand } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { interfaceActions, useActionName, useOwnActions } from '../deliveries/use-action-name.ts';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';

/** Requests an action from the bank manually. */
export function TriggerAction({ event }: { readonly event: EventDetail }): ReactElement | null {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const [asked, setAsked] = useState(false);
  if (!mayWork || event.clientRef === undefined) return null;
  return (
    <>
      <Button small onClick={() => setAsked(true)}>
        <Hand aria-hidden className="size-3.5" />
        {t('trigger.ask')}
      </Button>
      {asked ? <TriggerQuestion event={event} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

interface TriggerQuestionProps {
  readonly event: EventDetail;
  readonly onClose: () => void;
}

function TriggerQuestion({ event, onClose }: TriggerQuestionProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const actionName = useActionName();
  const own = useOwnActions();
  const names = useRuleNames() ?? new Map<number, string>();
  // Rules that fired on the event come first.
  const fired = event.rules.map(({ reason }) => reason);
  const reasons = [...new Set([...fired, ...names.keys()])];
  const [action, setAction] = useState(2);
  const [chosen, setChosen] = useState<number>();
  const [message, setMessage] = useState('');
  const reason = chosen ?? reasons[0];
  const trigger = useDoing('triggerAction', ['readEvent', 'listActions'], {
    done: () => notices.say(t('trigger.asked')),
  });
  const submit = (): void => {
    if (reason === undefined) return;
    trigger.mutate(
      { params: { workspace, event: event.id }, body: { action, reason, message } },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog title={t('trigger.title')} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="text-sm text-soft">{t('trigger.meaning')}</p>
        <Choice
          label={t('trigger.action')}
          value={action}
          onChange={({ target }) => setAction(Number(target.value))}
          options={[...interfaceActions, ...own.keys()].map((one) => ({ value: String(one), label: actionName(one) }))}
        />
        <Choice
          label={t('trigger.reason')}
          value={reason ?? ''}
          onChange={({ target }) => setChosen(Number(target.value))}
          options={reasons.map((one) => ({ value: String(one), label: ruleLabel(one, names) }))}
        />
        <Field
          label={t('trigger.message')}
          hint={t('trigger.messageHint')}
          required
          maxLength={2_000}
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
        <DialogEnd problem={trigger.error} onCancel={onClose}>
          <Button type="submit" look="danger" busy={trigger.isPending} disabled={reason === undefined}>
            {t('trigger.send')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}
