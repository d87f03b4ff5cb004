import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NotificationChoice } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useSession } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Check } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ScheduleFields } from './schedule-fields.tsx';

const ownEvents = ['mention', 'assignment', 'approval'] as const;

/** What the user gets at their own e-mail address. */
export function OwnNotifications(): ReactElement {
  const { t } = useTranslation();
  const { account } = useSession();
  const choice = useQuery(asking('readNotificationChoice', {}));
  return (
    <Panel title={t('notifications.own')} hint={t('notifications.ownHint', { email: account.email })}>
      <Asked of={choice} rows={3}>
        {(answer) =>
          answer.mail ? <ChoiceForm of={answer} /> : <p className="text-sm text-soft">{t('notifications.noMail')}</p>
        }
      </Asked>
    </Panel>
  );
}

function ChoiceForm({ of }: { readonly of: NotificationChoice }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const { mail: _, ...kept } = of;
  const [choice, setChoice] = useState(kept);
  const write = useDoing('writeNotificationChoice', ['readNotificationChoice'], {
    done: () => notices.say(t('notifications.saved')),
  });
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => write.mutate({ body: choice })}>
      {ownEvents.map((event) => (
        <Check
          key={event}
          label={t(`notifications.ownEvent.${event}`)}
          checked={choice[event]}
          onChange={({ target }) => setChoice({ ...choice, [event]: target.checked })}
        />
      ))}
      <ScheduleFields
        value={choice}
        onChange={({ digestMinutes, quietHours }) => {
          const { quietHours: __, ...rest } = choice;
          setChoice({ ...rest, digestMinutes, ...(quietHours === undefined ? {} : { quietHours }) });
        }}
      />
      {write.error === null ? null : <ProblemNote problem={write.error} />}
      <Button type="submit" className="self-end" busy={write.isPending}>
        {t('act.save')}
      </Button>
    </Form>
  );
}
