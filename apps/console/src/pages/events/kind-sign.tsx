import { ArrowLeftRight, LogIn, LogOut } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Event } from '../../api/operations.generated.ts';

const signs = { login: LogIn, logout: LogOut, operation: ArrowLeftRight } as const;

/** The event type, as icon and word. */
export function KindSign({ kind }: { readonly kind: Event['kind'] }): ReactElement {
  const { t } = useTranslation();
  const Sign = signs[kind];
  return (
    <span className="inline-flex items-center gap-2 align-middle">
      <Sign aria-hidden className="size-4 text-soft" strokeWidth={1.8} />
      {t(`event.kind.${kind}`)}
    </span>
  );
}
