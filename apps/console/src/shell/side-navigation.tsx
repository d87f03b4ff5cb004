import { Link, useMatches } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useLive, useOpenAlerts } from '../api/live.ts';
import { useWorkspaceName } from '../api/use-workspace.ts';
import { useAlertSound } from './alert-sound.ts';
import { Sign } from './sign.tsx';
import { useSections } from './sections.ts';

/** The navigation on the left. */
export function SideNavigation(): ReactElement {
  const { t } = useTranslation();
  const sections = useSections();
  const workspace = useWorkspaceName();
  useAlertSound();
  const open = useMatches({ select: (matches) => matches.at(-1)?.routeId ?? '' });
  return (
    <nav
      aria-label={t('shell.pages')}
      className="sticky top-0 flex h-screen flex-col gap-0.5 bg-side px-2 pb-4 xl:px-2.5"
    >
      <Link to="/" className="mb-2 flex h-14 items-center gap-2.5 px-2 text-side-ink">
        <Sign className="size-6" />
        <span className="text-[15px] font-semibold tracking-tight max-xl:sr-only">Ringfence</span>
      </Link>
      {sections.map(({ to, name, sign: SectionSign, exact }) => (
        <Link
          key={name}
          to={to}
          params={{ workspace }}
          activeOptions={{ exact: true, includeSearch: false }}
          title={t(`section.${name}`)}
          aria-current={isIn(open, to, exact) ? 'page' : undefined}
          className="relative flex h-8 items-center gap-2.5 rounded-md px-2.5 text-[13px] font-medium text-side-soft hover:text-side-ink aria-[current=page]:bg-side-on aria-[current=page]:text-side-ink"
        >
          <SectionSign aria-hidden className="size-4 shrink-0" strokeWidth={1.8} />
          <span className="max-xl:sr-only">{t(`section.${name}`)}</span>
          {name === 'alerts' ? <OpenAlerts /> : null}
        </Link>
      ))}
    </nav>
  );
}

/** The number of open alerts: those of the user, and all. */
function OpenAlerts(): ReactElement | null {
  const { t } = useTranslation();
  const { open = 0, mine = 0 } = useLive().numbers?.alerts ?? {};
  const short = useOpenAlerts();
  if (short === undefined) return null;
  return (
    <>
      <span
        aria-hidden
        className="ml-auto rounded-full bg-side-on px-1.5 text-[11px] leading-4 font-semibold text-side-ink tabular-nums max-xl:absolute max-xl:-top-0.5 max-xl:right-0 max-xl:px-1 max-xl:text-[9px]"
      >
        {short}
      </span>
      <span className="sr-only">{t('shell.openAlerts', { open, mine })}</span>
    </>
  );
}

/** A page belongs to the section whose route contains its own. */
function isIn(routeId: string, to: string, exact: boolean): boolean {
  return exact ? routeId === `${to}/` : routeId.startsWith(to);
}
