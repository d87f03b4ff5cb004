import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useSession } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { NewPasswordField } from '../../parts/new-password-field.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** The user's own password. Users of the OpenID provider have none. */
export function OwnAccount(): ReactElement {
  const { t } = useTranslation();
  const { account } = useSession();
  return (
    <Panel title={t('accounts.own')} hint={account.email}>
      {account.password ? (
        <PasswordForm account={account.email} />
      ) : (
        <p className="text-sm text-soft">{t('accounts.byProvider', { issuer: account.issuer })}</p>
      )}
    </Panel>
  );
}

function PasswordForm({ account }: { readonly account: string }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useDoing('changePassword', [], {
    done: () => notices.say(t('accounts.passwordChanged')),
  });
  const submit = (): void =>
    change.mutate(
      { body: { password, newPassword } },
      {
        onSuccess: () => {
          setPassword('');
          setNewPassword('');
        },
      },
    );
  return (
    <Form account={account} className="grid grid-cols-1 gap-4 sm:grid-cols-2" onSubmit={submit}>
      <Field
        label={t('accounts.password')}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <NewPasswordField label={t('accounts.newPassword')} value={newPassword} onChange={setNewPassword} />
      <div className="col-span-full flex flex-col gap-3">
        {change.error === null ? null : <ProblemNote problem={change.error} />}
        <Button type="submit" className="self-end" busy={change.isPending}>
          {t('accounts.changePassword')}
        </Button>
      </div>
    </Form>
  );
}
