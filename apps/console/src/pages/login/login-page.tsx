import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { keepSession, sessionKey } from '../../api/session.ts';
import { buttonClass } from '../../parts/button.tsx';
import { RequestId } from '../../parts/request-id.tsx';
import { LoginFrame } from './login-frame.tsx';
import { PasswordForm } from './password-form.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The account that is probably logging in. */
    email?: string;
  }
}

/** Login by password with an optional second factor, or through the OpenID provider of the bank. */
export function LoginPage(): ReactElement {
  const { t } = useTranslation();
  const options = useQuery(asking('readSessionOptions', {})).data;
  const { to, openId, requestId } = useSearch({ from: '/login' });
  // After choosing a password, the e-mail address is prefilled.
  const known = useLocation({ select: ({ state }) => state.email });
  const client = useQueryClient();
  const router = useRouter();
  const aim = to === undefined ? '' : `?to=${encodeURIComponent(pathTo(to))}`;
  return (
    <LoginFrame title={t('login.title')}>
      {options?.first === true ? <p className="mb-4 rounded-md bg-cool-wash p-3 text-sm">{t('login.first')}</p> : null}
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
      {options?.password === false ? null : (
        <PasswordForm
          known={known}
          onOpen={(session) => {
            client.setQueryData(sessionKey, keepSession(session));
            router.history.push(to === undefined ? '/console/' : pathTo(to));
          }}
        />
      )}
    </LoginFrame>
  );
}

/** An address of the console from any part of one. */
function pathTo(to: string): string {
  return `/console${to.replace(/^\/console/, '')}`;
}
