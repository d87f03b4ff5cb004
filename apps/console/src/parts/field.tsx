import { type InputHTMLAttributes, type ReactElement, type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { classNames } from './class-names.ts';

export const inputClass =
  'h-8 rounded-md border border-line-strong bg-card px-2.5 text-sm hover:border-soft disabled:opacity-60 aria-invalid:border-bad';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly mono?: boolean;
}

/** A text field with its label above. */
export function Field({ label, hint, mono, className, ...rest }: FieldProps): ReactElement {
  const id = useId();
  return (
    <div className={classNames('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="text-xs font-medium text-soft">
        {label}
      </label>
      <input
        id={id}
        {...rest}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className={classNames(inputClass, 'w-full', mono === true && 'font-mono text-xs')}
      />
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-xs text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly bare?: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A native select element: every keyboard and screen reader supports it. */
export function Choice({ label, bare, options, className, ...rest }: ChoiceProps): ReactElement {
  const id = useId();
  return (
    <div className={classNames('flex flex-col gap-1', className)}>
      <label htmlFor={id} className={bare === true ? 'sr-only' : 'text-xs font-medium text-soft'}>
        {label}
      </label>
      <select id={id} {...rest} className={`${inputClass} w-full`}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly hint?: string;
}

/** A checkbox with its label on its right. */
export function Check({ label, hint, ...rest }: CheckProps): ReactElement {
  const id = useId();
  return (
    <div className="col-span-full">
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-fence"
          aria-describedby={hint === undefined ? undefined : id}
          {...rest}
        />
        {label}
      </label>
      {hint === undefined ? null : (
        <p id={id} className="mt-1 ml-6 text-xs text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}
