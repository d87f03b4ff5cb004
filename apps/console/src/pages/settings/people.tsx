import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { nameOf, useSession } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { PersonTools } from './person-tools.tsx';
import { roleName } from './roles-field.tsx';

/** Users of the console and their roles by workspace. */
export function People(): ReactElement {
  const { t } = useTranslation();
  const accounts = useQuery(asking('listAccounts', {}));
  const options = useQuery(asking('readSessionOptions', {})).data;
  const [adding, setAdding] = useState(false);
  return (
    <Panel
      title={t('accounts.people')}
      flush
      tools={
        options?.password === true ? (
          <Button small look="main" onClick={() => setAdding(true)}>
            <UserPlus aria-hidden className="size-3.5" />
            {t('accounts.add')}
          </Button>
        ) : undefined
      }
    >
      {options?.password === false ? (
        <p className="border-b border-line px-4 py-2.5 text-sm text-soft">
          {t('accounts.onlyProvider', { name: options.openId?.name })}
        </p>
      ) : null}
      <Asked of={accounts} rows={3}>
        {({ items }) => (
          <ul className="divide-y divide-line text-sm">
            {items.map((account) => (
              <PersonRow key={account.id} account={account} passwords={options?.password === true} />
            ))}
          </ul>
        )}
      </Asked>
      {adding ? <InviteDialog onClose={() => setAdding(false)} /> : null}
    </Panel>
  );
}

interface Row {
  readonly account: Account;
  /** Whether password logins are allowed. */
  readonly passwords: boolean;
}

function PersonRow({ account, passwords }: Row): ReactElement {
  const { t } = useTranslation();
  const session = useSession();
  const placeOf = (id: string): string => {
    const workspace = session.workspaces.find((one) => one.id === id);
    return id === '*' ? t('accounts.everywhere') : workspace === undefined ? id : nameOf(workspace);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-64">
        <span className="font-medium">{account.name}</span>
        <span className="block truncate text-xs text-soft">{account.email}</span>
      </span>
      <span className="flex grow flex-wrap gap-1">
        {account.roles.flatMap(({ workspace, roles }) =>
          roles.map((role) => (
            <Badge
              key={`${workspace}${role}`}
              tone={role === 'administrator' ? 'warn' : 'plain'}
              title={t(`accounts.role.${role}`)}
            >
              {roleName(t(`accounts.role.${role}`))} · {placeOf(workspace)}
            </Badge>
          )),
        )}
      </span>
      {account.disabledAt === undefined ? null : <Badge tone="bad">{t('accounts.disabled')}</Badge>}
      <LogInBadge of={account} />
      {account.id === session.account.id ? null : <PersonTools account={account} passwords={passwords} />}
    </li>
  );
}

/** How a user logs in, and whether a second factor is missing. */
function LogInBadge({ of }: { readonly of: Account }): ReactElement {
  const { t } = useTranslation();
  if (of.issuer !== undefined) return <Badge title={of.issuer}>{t('accounts.provider')}</Badge>;
  if (!of.password) return <Badge tone="cool">{t('accounts.invited')}</Badge>;
  return (
    <Badge tone={of.secondFactor ? 'good' : 'plain'}>
      {t(of.secondFactor ? 'accounts.factor' : 'accounts.noFactor')}
    </Badge>
  );
}
