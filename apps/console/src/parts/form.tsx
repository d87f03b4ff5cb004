import type { FormHTMLAttributes, ReactElement } from 'react';

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  readonly onSubmit: () => void;
  /** Whose passwords are in it: by this name whatever keeps passwords for a person finds them. */
  readonly account?: string;
}

/** Fields that are sent together, once the browser finds nothing wrong with them. The page stays. */
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
