import type { FormHTMLAttributes, ReactElement } from 'react';

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  readonly onSubmit: () => void;
}

/** Fields that are sent together, once the browser finds nothing wrong with them. The page stays. */
export function Form({ onSubmit, className = 'flex flex-col gap-4', ...rest }: FormProps): ReactElement {
  return (
    <form
      {...rest}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}
