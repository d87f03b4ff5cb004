import { KeyRound } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Session } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

interface PasswordFormProps {
  /** The account that is probably logging in. */
  readonly known: string | undefined;
  readonly onOpen: (session: Session) => void;
}

/** Opens a session by password and, if the account has one, the second factor. */
export function PasswordForm({ known, onOpen }: PasswordFormProps): ReactElement {
  const { t } = useTranslation();
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const open = useDoing('openSession');
  const wantsCode = code !== '' || open.error?.code === 'code.required';
  return (
    <Form
      onSubmit={() =>
        open.mutate(
          { body: { email, password, ...(code === '' ? {} : { code: code.replaceAll(' ', '') }) } },
          { onSuccess: onOpen },
        )
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
