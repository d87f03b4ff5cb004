import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type ReactElement, type ReactNode, useState } from 'react';

interface MenuProps {
  readonly trigger: ReactElement;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** A menu. Not modal: locking the page would require an inline style, which the CSP refuses. */
export function Menu({ trigger, align = 'start', children }: MenuProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      {/* In a landmark of the page. Its header has a filter, which would be the origin of fixed positions. */}
      <DropdownMenu.Portal container={document.getElementById('main')}>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          className="z-40 min-w-52 rounded-lg border border-line bg-card p-1 text-sm shadow-lift"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, checked, danger, children }: MenuItemProps): ReactElement {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className={`flex h-8 items-center gap-2 rounded px-2 outline-none data-highlighted:bg-sunken ${danger === true ? 'text-bad' : ''}`}
    >
      {children}
      {checked === true ? <Check aria-hidden className="ml-auto size-4 text-fence" /> : null}
    </DropdownMenu.Item>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }): ReactElement {
  return <DropdownMenu.Label className="eyebrow px-2 pt-2 pb-1">{children}</DropdownMenu.Label>;
}

export function MenuLine(): ReactElement {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
