import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account, ConsoleSession } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Instant } from '../../parts/instant.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { RolesField } from './roles-field.tsx';

interface PersonDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Roles, sessions and second factor of a user. */
export function PersonDialog({ account, onClose }: PersonDialogProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Dialog title={`${account.name} · ${account.email}`} wide onClose={onClose}>
      <div className="flex max-h-[75vh] flex-col gap-5 overflow-y-auto">
        <RolesForm account={account} />
        <section className="flex flex-col gap-2">
          <h3 className="eyebrow">{t('accounts.sessions')}</h3>
          <Sessions account={account.id} />
        </section>
        {account.secondFactor ? <FactorLine account={account} /> : null}
      </div>
    </Dialog>
  );
}

function RolesForm({ account }: { readonly account: Account }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const [granted, setGranted] = useState(account.roles);
  const change = useDoing('changeAccount', ['listAccounts'], { done: () => notices.say(t('state.saved')) });
  const byProvider = account.issuer !== undefined;
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={() => change.mutate({ params: { account: account.id }, body: { roles: granted } })}
    >
      <h3 className="eyebrow">{t('accounts.roles')}</h3>
      <RolesField value={granted} onChange={setGranted} disabled={byProvider} />
      {change.error === null ? null : <ProblemNote problem={change.error} />}
      {byProvider ? (
        <p className="text-xs text-soft">{t('accounts.rolesByProvider', { issuer: account.issuer })}</p>
      ) : (
        <Button look="main" type="submit" className="self-end" busy={change.isPending}>
          {t('act.save')}
        </Button>
      )}
    </Form>
  );
}

const changed = ['readAccount'] as const;

function Sessions({ account }: { readonly account: string }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const detail = useQuery(asking('readAccount', { params: { account } }));
  const end = useDoing('endAccountSession', changed, { failed: ({ message }) => notices.warn(message) });
  const endAll = useDoing('endAccountSessions', changed, { failed: ({ message }) => notices.warn(message) });
  return (
    <Asked of={detail} rows={2}>
      {({ sessions }) =>
        sessions.length === 0 ? (
          <p className="text-sm text-soft">{t('accounts.noSessions')}</p>
        ) : (
          <>
            <ul className="divide-y divide-line rounded-md border border-line text-sm">
              {sessions.map((session) => (
                <li key={session.id} className="flex items-center gap-3 px-3 py-2">
                  <SessionText of={session} />
                  <Button small onClick={() => end.mutate({ params: { account, session: session.id } })}>
                    {t('accounts.endSession')}
                  </Button>
                </li>
              ))}
            </ul>
            <Button
              look="danger"
              className="self-end"
              busy={endAll.isPending}
              onClick={() => endAll.mutate({ params: { account } })}
            >
              {t('accounts.endSessions')}
            </Button>
          </>
        )
      }
    </Asked>
  );
}

function SessionText({ of: { address, agent, openedAt, seenAt } }: { readonly of: ConsoleSession }): ReactElement {
  const { t } = useTranslation();
  return (
    <span className="min-w-0 grow">
      <span className="font-mono text-xs">{address}</span>{' '}
      <span className="text-xs text-soft">
        {t('accounts.since')} <Instant at={openedAt} /> · {t('accounts.seen')} <Instant at={seenAt} as="ago" />
      </span>
      <span className="block truncate text-xs text-soft" title={agent}>
        {agent}
      </span>
    </span>
  );
}

function FactorLine({ account }: { readonly account: Account }): ReactElement {
  const { t } = useTranslation();
  const remove = useDoing('removeAccountSecondFactor', ['listAccounts']);
  return (
    <section className="flex flex-col gap-2">
      <h3 className="eyebrow">{t('accounts.factor')}</h3>
      {remove.error === null ? null : <ProblemNote problem={remove.error} />}
      <p className="flex items-center gap-3 text-sm text-soft">
        <span className="grow">{t('accounts.factorLost')}</span>
        <Button
          look="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ params: { account: account.id } })}
        >
          {t('accounts.factorOff')}
        </Button>
      </p>
    </section>
  );
}
