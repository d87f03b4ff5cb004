import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Token } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { nameOf, useSession } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { CreateToken } from './create-token.tsx';

const tones = { live: 'good', ended: 'plain', revoked: 'plain' } as const;

/** Tokens of the management API for programs. */
export function Tokens(): ReactElement {
  const { t } = useTranslation();
  const tokens = useQuery(asking('listTokens', {}));
  const [creating, setCreating] = useState(false);
  return (
    <Panel
      title={t('tokens.title')}
      flush
      tools={
        <Button small look="main" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-3.5" />
          {t('tokens.create')}
        </Button>
      }
    >
      <p className="border-b border-line px-4 py-2.5 text-sm text-soft">{t('tokens.hint')}</p>
      <Asked of={tokens} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 py-2.5 text-sm text-soft">{t('tokens.none')}</p>
          ) : (
            <ul className="divide-y divide-line text-sm">
              {items.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </Asked>
      {creating ? <CreateToken onClose={() => setCreating(false)} /> : null}
    </Panel>
  );
}

function TokenRow({ token }: { readonly token: Token }): ReactElement {
  const { t } = useTranslation();
  const session = useSession();
  const [revoking, setRevoking] = useState(false);
  const revoke = useDoing('revokeToken', ['listTokens']);
  const placeOf = (id: string): string => {
    const workspace = session.workspaces.find((one) => one.id === id);
    return id === '*' ? t('tokens.allWorkspaces') : workspace === undefined ? id : nameOf(workspace);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-64">
        <span className="font-medium">{token.name}</span>
        <code className="block truncate font-mono text-xs text-soft">{token.hint}</code>
      </span>
      <span className="flex min-w-48 flex-1 flex-wrap gap-1">
        {token.scopes.map((scope) => (
          <Badge key={scope}>
            <code className="font-mono text-xs">{scope}</code>
          </Badge>
        ))}
        <span className="basis-full text-xs text-soft">
          {token.workspaces.map(placeOf).join(', ')} ·{' '}
          {token.lastUsedAt === undefined ? (
            t('tokens.neverUsed')
          ) : (
            <>
              {t('tokens.used')} <Instant at={token.lastUsedAt} as="ago" />
            </>
          )}{' '}
          · {t(token.state === 'live' ? 'tokens.ends' : 'tokens.ended')}{' '}
          <Instant at={token.revokedAt ?? token.expiresAt} />
        </span>
      </span>
      <Badge tone={tones[token.state]}>{t(`tokens.state.${token.state}`)}</Badge>
      {token.state === 'live' ? (
        <Button small look="danger" onClick={() => setRevoking(true)}>
          {t('tokens.revoke')}
        </Button>
      ) : null}
      {revoking ? (
        <Confirm
          title={t('tokens.revoke')}
          act={t('tokens.revoke')}
          danger
          busy={revoke.isPending}
          problem={revoke.error}
          onConfirm={() => revoke.mutate({ params: { token: token.id } }, { onSuccess: () => setRevoking(false) })}
          onClose={() => setRevoking(false)}
        >
          {t('tokens.revokeMeaning', { name: token.name })}
        </Confirm>
      ) : null}
    </li>
  );
}
