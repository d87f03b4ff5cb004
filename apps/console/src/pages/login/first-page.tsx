import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keepSession, sessionKey } from '../../api/session.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { NewPasswordField } from '../../parts/new-password-field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { linkToken } from './link-token.ts';
import { LoginFrame } from './login-frame.tsx';

/** Creates the first administrator with the link that the service printed. */
export function FirstPage(): ReactElement {
  const { t } = useTranslation();
  const [token] = useState(linkToken);
  const isLate = useQuery(asking('readSessionOptions', {})).data?.first === false;
  if (isLate) {
    return (
      <LoginFrame title={t('login.firstTitle')} lead={t('login.firstThere')}>
        <Link to="/login" className="text-sm text-fence underline">
          {t('login.title')}
        </Link>
      </LoginFrame>
    );
  }
  return (
    <LoginFrame title={t('login.firstTitle')} lead={t('login.firstLead')}>
      {token === undefined ? <p className="text-sm">{t('login.noToken')}</p> : <FirstForm token={token} />}
    </LoginFrame>
  );
}

function FirstForm({ token }: { readonly token: string }): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const open = useDoing('openFirstSession');
  const submit = (): void =>
    open.mutate(
      { body: { token, name, email, password } },
      {
        onSuccess: (session) => {
          client.setQueryData(sessionKey, keepSession(session));
          void navigate({ to: '/', replace: true });
        },
      },
    );
  return (
    <Form onSubmit={submit}>
      <Field
        label={t('login.name')}
        autoComplete="name"
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <EmailField label={t('login.email')} isOwn value={email} onChange={setEmail} />
      <NewPasswordField label={t('login.password')} value={password} onChange={setPassword} />
      {open.error === null ? null : <ProblemNote problem={open.error} />}
      <Button look="main" type="submit" busy={open.isPending}>
        {t('login.firstAct')}
      </Button>
    </Form>
  );
}
