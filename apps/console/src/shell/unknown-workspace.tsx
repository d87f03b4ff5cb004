import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { nameOf, useSession, useWorkspaceName } from '../api/use-workspace.ts';
import { Empty } from '../parts/empty.tsx';

/** For a workspace that does not exist or in which the user has no role: links to the others. */
export function UnknownWorkspace(): ReactElement {
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
