import type { ReactElement } from 'react';

/** Logo of Ringfence: a fence in a ring with one opening. */
export function Sign({ className }: { readonly className?: string }): ReactElement {
  return (
    <svg
      aria-hidden
      viewBox="0 0 32 32"
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="2.8"
      strokeLinecap="round"
    >
      <path d="M16 3.5a12.5 12.5 0 1 1-8.9 3.7" />
      <path d="M10.8 11.5v9M16 9.5v13M21.2 11.5v9" />
    </svg>
  );
}
