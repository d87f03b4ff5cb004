import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from './field.tsx';

/** Minimum length in the service. */
const lengthMin = 12;

interface NewPasswordFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** A new password: the browser may suggest and store one. */
export function NewPasswordField({ onChange, ...rest }: NewPasswordFieldProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Field
      {...rest}
      hint={t('login.passwordHint')}
      type="password"
      autoComplete="new-password"
      minLength={lengthMin}
      required
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
