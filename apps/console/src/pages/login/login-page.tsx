import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter, useSearch } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { keepSession, sessionKey } from '../../api/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { RequestId } from '../../parts/request-id.tsx';
import { LoginFrame } from './login-frame.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The account that is about to log in. */
    email?: string;
  }
}

/** Log in by password and, where the account has one, the second factor; or by the bank's own OpenID provider. */
export function LoginPage(): ReactElement {
  const { t } = useTranslation();
  const options = useQuery(asking('readSessionOptions', {})).data;
  const { to, why, openId, requestId } = useSearch({ from: '/login' });
  const aim = to === undefined ? '' : `?to=${encodeURIComponent(pathTo(to))}`;
  return (
    <LoginFrame title={t('login.title')}>
      {options?.first === true ? <p className="mb-4 rounded-md bg-cool-wash p-3 text-sm">{t('login.first')}</p> : null}
      {why === undefined ? null : (
        <p role="status" className="mb-4 rounded-md bg-cool-wash p-3 text-sm">
          {t(`login.why.${why}`)}
        </p>
      )}
      {openId === undefined ? null : (
        <div role="alert" className="mb-4 rounded-md bg-bad-wash p-3 text-sm">
          <p>{t(`login.openId.${openId}`)}</p>
          <RequestId of={requestId} />
        </div>
      )}
      {options?.openId === undefined ? null : (
        <a href={`${options.openId.path}${aim}`} className={`${buttonClass('main')} mb-5 w-full`}>
          {options.openId.name}
        </a>
      )}
      {options?.password === false ? null : <PasswordForm />}
    </LoginFrame>
  );
}

function PasswordForm(): ReactElement {
  const { t } = useTranslation();
  // Whoever has just chosen a password need not say again for which account.
  const known = useLocation({ select: ({ state }) => state.email });
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const open = useOpening();
  const wantsCode = code !== '' || open.error?.code === 'code.required';
  return (
    <Form
      onSubmit={() =>
        open.mutate({ body: { email, password, ...(code === '' ? {} : { code: code.replaceAll(' ', '') }) } })
      }
    >
      <EmailField label={t('login.email')} isOwn autoFocus={known === undefined} value={email} onChange={setEmail} />
      <Field
        label={t('login.password')}
        type="password"
        autoComplete="current-password"
        autoFocus={known !== undefined}
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {wantsCode ? (
        <Field
          label={t('login.code')}
          hint={t('login.codeHint')}
          autoComplete="one-time-code"
          autoFocus
          required
          mono
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      ) : null}
      {open.error === null || open.error.code === 'code.required' ? null : <ProblemNote problem={open.error} />}
      <Button look="main" type="submit" busy={open.isPending}>
        <KeyRound aria-hidden className="size-4" />
        {t('login.act')}
      </Button>
    </Form>
  );
}

/** Opens a session, and goes on to where somebody wanted to go. */
function useOpening() {
  const open = useDoing('openSession');
  const client = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: '/login' });
  return {
    ...open,
    mutate: (input: Parameters<typeof open.mutate>[0]) =>
      open.mutate(input, {
        onSuccess: (session) => {
          client.setQueryData(sessionKey, keepSession(session));
          router.history.push(to === undefined ? '/console/' : pathTo(to));
        },
      }),
  };
}

/** An address of the console, however much of it was given. */
function pathTo(to: string): string {
  return `/console${to.replace(/^\/console/, '')}`;
}
