import type { ButtonHTMLAttributes, ReactElement, Ref } from 'react';
import { classNames } from './class-names.ts';

export type ButtonLook = 'main' | 'plain' | 'quiet' | 'danger';

const looks: Readonly<Record<ButtonLook, string>> = {
  main: 'bg-fence text-on-fence hover:bg-fence-deep border-transparent',
  plain: 'bg-card border-line-strong hover:bg-sunken',
  quiet: 'border-transparent hover:bg-sunken text-soft hover:text-ink',
  danger: 'bg-card border-bad text-bad hover:bg-bad-wash',
};

const shape =
  'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap disabled:opacity-50 disabled:cursor-not-allowed';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook;
  readonly small?: boolean;
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function buttonClass(look: ButtonLook = 'plain', small = false): string {
  return classNames(shape, looks[look], small ? 'h-7 px-2 text-xs' : 'h-8 px-3 text-sm');
}

/**
 * A button that ignores clicks while its operation is running. It is not disabled meanwhile: a disabled button loses
 * the
 * focus and key presses.
 */
export function Button({ look, small, busy, className, onClick, ...rest }: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy === true}
      onClick={(event) => (busy === true ? event.preventDefault() : onClick?.(event))}
      className={classNames(buttonClass(look, small), busy === true && 'opacity-60', className)}
    />
  );
}
