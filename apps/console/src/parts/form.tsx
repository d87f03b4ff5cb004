import type { FormHTMLAttributes, ReactElement } from 'react';

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  readonly onSubmit: () => void;
  /** Login name of the passwords in the form, for password managers. */
  readonly account?: string;
}

/** A form that submits once the browser has validated it, without leaving the page. */
export function Form({
  onSubmit,
  account,
  children,
  className = 'flex flex-col gap-4',
  ...rest
}: FormProps): ReactElement {
  return (
    <form
      {...rest}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {account === undefined ? null : <input type="text" autoComplete="username" value={account} readOnly hidden />}
      {children}
    </form>
  );
}
