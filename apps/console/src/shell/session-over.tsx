import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import type { Session } from '../api/operations.generated.ts';
import { keepSession, onSessionEnd, sessionKey } from '../api/session.ts';
import { asking } from '../api/use-api.ts';
import { useSession } from '../api/use-workspace.ts';
import { LoginFrame } from '../pages/login/login-frame.tsx';
import { PasswordForm } from '../pages/login/password-form.tsx';
import { buttonClass } from '../parts/button.tsx';
import { forgetWritten } from '../parts/use-draft.ts';

/** Whether the session is over, until there is a new one. */
export function useSessionOver(): readonly [boolean, () => void] {
  const [isOver, setOver] = useState(false);
  useEffect(() => onSessionEnd(() => setOver(true)), []);
  return [isOver, () => setOver(false)];
}

/**
 * Login over the page of an ended session. The page is hidden but stays mounted for the same user; another user starts
 * with a fresh page. See docs/internals/console-queries.md.
 */
export function SessionOver({ onGoOn }: { readonly onGoOn: () => void }): ReactElement {
  const { t } = useTranslation();
  const { account } = useSession();
  const options = useQuery(asking('readSessionOptions', {})).data;
  const client = useQueryClient();
  const dialog = useCover();
  const goOn = (session: Session): void => {
    client.setQueryData(sessionKey, keepSession(session));
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    onGoOn();
  };
  useOtherTabs((session) => session.account.id === account.id && goOn(session));
  return (
    <dialog
      ref={dialog}
      aria-label={t('login.title')}
      // Browsers do not let a page cancel the second of two Escapes; "back" on a phone cannot be cancelled at all.
      onKeyDown={(event) => event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
      className="m-0 size-full max-h-none max-w-none overflow-y-auto bg-page p-0 text-ink"
    >
      <LoginFrame title={t('login.title')}>
        <p role="status" className="mb-4 rounded-md bg-cool-wash p-3 text-sm">
          {t('login.ended')}
        </p>
        {options?.openId === undefined ? null : (
          <div className="mb-5">
            <a href={options.openId.path} target="_blank" className={`${buttonClass('main')} w-full`}>
              {options.openId.name}
            </a>
            <p className="mt-1 text-xs text-soft">{t('login.otherTab')}</p>
          </div>
        )}
        {options?.password === false ? null : (
          <PasswordForm
            known={account.email}
            onOpen={(session) => (session.account.id === account.id ? goOn(session) : beginAnew())}
          />
        )}
      </LoginFrame>
    </dialog>
  );
}

function beginAnew(): void {
  forgetWritten();
  location.assign('/console/');
}

/** A dialog above everything, including other dialogs. It restores the focus. */
function useCover() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current!.showModal();
    element.current!.querySelector<HTMLElement>('input[type=password]')?.focus();
    return () => {
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, []);
  return element;
}

/** A login in another tab counts here too: check when this tab becomes visible. */
function useOtherTabs(found: (session: Session) => void): void {
  const current = useRef(found);
  current.current = found;
  useEffect(() => {
    const look = (): void => {
      call('readSession', {}, { background: true }).then(
        (session) => current.current(session),
        // No session yet.
        () => undefined,
      );
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
}
