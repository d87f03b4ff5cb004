import type { ReactElement } from 'react';
import { Field } from './field.tsx';

interface EmailFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether it is the name that somebody logs in with. */
  readonly isOwn?: boolean;
  readonly autoFocus?: boolean;
}

/**
 * Somebody's e-mail address, which must be there. Not of type `email`: browsers refuse letters beyond ASCII before the @,
 * which the service takes.
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
