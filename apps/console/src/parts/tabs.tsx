import type { ReactElement, ReactNode } from 'react';

/** Class of a link to one view of a page; the current one has `aria-current="page"`. */
export const tabClass =
  '-mb-px border-b-2 border-transparent px-3 py-2 text-sm font-medium text-soft hover:text-ink aria-[current=page]:border-fence aria-[current=page]:text-ink';

interface TabsProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** Links to the views of a page, each with `tabClass`. */
export function Tabs({ label, children }: TabsProps): ReactElement {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1 border-b border-line">
      {children}
    </nav>
  );
}
