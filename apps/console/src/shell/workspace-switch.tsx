import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { nameOf, useSession, useWorkspaceName } from '../api/use-workspace.ts';
import { Badge } from '../parts/badge.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../parts/menu.tsx';
import { NewWorkspace } from './new-workspace.tsx';

/** The open workspace, and a menu of the others. */
export function WorkspaceSwitch(): ReactElement {
  const { t } = useTranslation();
  const { workspaces, installation } = useSession();
  const [making, setMaking] = useState(false);
  const navigate = useNavigate();
  const open = useWorkspaceName();
  const [name = open, environment = ''] = open.split(':');
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            className="flex h-8 items-center gap-2 rounded-md px-2 text-sm font-semibold hover:bg-sunken"
          >
            <span className="sr-only">{t('shell.workspace')}</span>
            {name}
            <Environment of={environment} />
            <ChevronsUpDown aria-hidden className="size-3.5 text-soft" />
          </button>
        }
      >
        <MenuLabel>{t('shell.workspace')}</MenuLabel>
        {workspaces.map((one) => (
          <MenuItem
            key={one.id}
            checked={nameOf(one) === open}
            onSelect={() => void navigate({ to: '/w/$workspace', params: { workspace: nameOf(one) } })}
          >
            {one.name}
            <Environment of={one.environment} />
          </MenuItem>
        ))}
        {installation.includes('administer') ? (
          <>
            <MenuLine />
            <MenuItem onSelect={() => setMaking(true)}>
              <Plus aria-hidden className="size-4" />
              {t('shell.newWorkspace')}
            </MenuItem>
          </>
        ) : null}
      </Menu>
      {making ? <NewWorkspace onClose={() => setMaking(false)} /> : null}
    </>
  );
}

function Environment({ of }: { readonly of: string }): ReactElement {
  const { t } = useTranslation();
  return of === 'production' ? (
    <Badge tone="good">{t('shell.production')}</Badge>
  ) : (
    <Badge tone="cool">{t('shell.development')}</Badge>
  );
}
