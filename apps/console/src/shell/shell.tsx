import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { type ReactElement, Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LiveContext, useFollowing } from '../api/live.ts';
import { nameOf, useSession, useWorkspace, useWorkspaceName } from '../api/use-workspace.ts';
import { FormatsContext } from '../format/use-formats.ts';
import { formatsOf, regionalTag } from '../format/formats.ts';
import { Loading } from '../parts/loading.tsx';
import { CommandMenu } from './command-menu.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { keepWorkspace } from './kept-workspace.ts';
import { useSections } from './sections.ts';
import { SessionOver, useSessionOver } from './session-over.tsx';
import { SideNavigation } from './side-navigation.tsx';
import { TopBar } from './top-bar.tsx';
import { type Keys, useKeys } from './use-keys.ts';
import { WorkspaceNotices } from './workspace-notices.tsx';
import { Compass } from 'lucide-react';
import { Empty } from '../parts/empty.tsx';

/** The frame around every page of a workspace. */
export function Shell(): ReactElement {
  const name = useWorkspaceName();
  const isKnown = useSession().workspaces.some((one) => nameOf(one) === name || one.id === name);
  return isKnown ? <Frame /> : <UnknownWorkspace />;
}

function Frame(): ReactElement {
  const { t, i18n } = useTranslation();
  const name = useWorkspaceName();
  const timeZone = useWorkspace()?.settings.timezone ?? 'UTC';
  const formats = useMemo(
    () => formatsOf(regionalTag(i18n.language, navigator.languages), timeZone),
    [i18n.language, timeZone],
  );
  const live = useFollowing(name, useSession().csrfToken);
  const [isOver, goOn] = useSessionOver();
  const [open, setOpen] = useState<'commands' | 'help'>();
  useEffect(() => keepWorkspace(name), [name]);
  useKeys({ ...useSectionKeys(name), '/': () => setOpen('commands'), '?': () => setOpen('help') });
  useCommandKey(() => isOver || setOpen('commands'));
  return (
    <FormatsContext value={formats}>
      <LiveContext value={live}>
        <a href="#main" className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-card focus:p-2">
          {t('shell.skip')}
        </a>
        <div className="grid min-h-screen grid-cols-[3.25rem_minmax(0,1fr)] xl:grid-cols-[13.5rem_minmax(0,1fr)] print:block">
          <SideNavigation />
          <div className="flex min-w-0 flex-col">
            <TopBar onCommands={() => setOpen('commands')} onHelp={() => setOpen('help')} />
            <WorkspaceNotices />
            <main id="main" tabIndex={-1} className="min-w-0 grow outline-none">
              <Suspense fallback={<Loading rows={8} />}>
                <Outlet />
              </Suspense>
            </main>
          </div>
        </div>
        {open === 'commands' ? <CommandMenu onClose={() => setOpen(undefined)} /> : null}
        {open === 'help' ? <KeyboardHelp onClose={() => setOpen(undefined)} /> : null}
        {isOver ? <SessionOver onGoOn={goOn} /> : null}
      </LiveContext>
    </FormatsContext>
  );
}

function useSectionKeys(workspace: string): Keys {
  const navigate = useNavigate();
  const sections = useSections();
  return Object.fromEntries(
    sections.map(({ to, key }) => [`g ${key}`, () => void navigate({ to, params: { workspace } })]),
  );
}

/** Ctrl+K or Cmd+K, also in text fields. */
function useCommandKey(act: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== 'k') return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

/** For a workspace that does not exist or in which the user has no role: links to the others. */
function UnknownWorkspace(): ReactElement {
  const { t } = useTranslation();
  const { workspaces } = useSession();
  return (
    <main className="pt-24">
      <h1 className="sr-only">{t('state.missing')}</h1>
      <Empty sign={Compass} title={t('state.unknownWorkspace', { workspace: useWorkspaceName() })}>
        <p className="mb-3">{t('state.unknownWorkspaceHint')}</p>
        <ul className="flex flex-col gap-1">
          {workspaces.map((one) => (
            <li key={one.id}>
              <Link to="/w/$workspace" params={{ workspace: nameOf(one) }} className="text-fence underline">
                {nameOf(one)}
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    </main>
  );
}
