import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { NewPasswordField } from '../../parts/new-password-field.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { linkToken } from './link-token.ts';
import { LoginFrame } from './login-frame.tsx';

/** Sets the password of an account with an invitation link. */
export function InvitationPage(): ReactElement {
  const { t } = useTranslation();
  const [token] = useState(linkToken);
  const [password, setPassword] = useState('');
  const accept = useDoing('acceptInvitation');
  const navigate = useNavigate();
  const notices = useNotices();
  if (token === undefined) return <LoginFrame title={t('login.invitationTitle')}>{t('login.noToken')}</LoginFrame>;
  return (
    <LoginFrame title={t('login.invitationTitle')} lead={t('login.invitationLead')}>
      <Form
        onSubmit={() => {
          accept.mutate(
            { body: { token, password } },
            {
              onSuccess: ({ email }) => {
                notices.say(t('login.invitationDone', { email }));
                void navigate({ to: '/login', replace: true, state: { email } });
              },
            },
          );
        }}
      >
        <NewPasswordField label={t('login.password')} autoFocus value={password} onChange={setPassword} />
        {accept.error === null ? null : <ProblemNote problem={accept.error} />}
        <Button look="main" type="submit" busy={accept.isPending}>
          {t('login.invitationAct')}
        </Button>
      </Form>
    </LoginFrame>
  );
}
