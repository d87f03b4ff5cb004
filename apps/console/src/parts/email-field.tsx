import type { ReactElement } from 'react';
import { Field } from './field.tsx';

interface EmailFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether it is the login name. */
  readonly isOwn?: boolean;
  readonly autoFocus?: boolean;
}

/**
 * A required e-mail address. Not of type `email`: browsers reject non-ASCII characters before the @, which the service
 * accepts.
 */
export function EmailField({ label, value, onChange, isOwn, autoFocus }: EmailFieldProps): ReactElement {
  return (
    <Field
      label={label}
      inputMode="email"
      autoComplete={isOwn === true ? 'username' : 'off'}
      autoCapitalize="none"
      spellCheck={false}
      required
      autoFocus={autoFocus}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
