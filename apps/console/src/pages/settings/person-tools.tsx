import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { PersonDialog } from './person-dialog.tsx';

/** Operations of an administrator on another account. */
export function PersonTools({
  account,
  passwords,
}: {
  readonly account: Account;
  /** Whether password logins are allowed. */
  readonly passwords: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const params = { account: account.id };
  const failed = ({ message }: Error): void => notices.warn(message);
  const [open, setOpen] = useState(false);
  const [removing, setRemoving] = useState(false);
  const invite = useDoing('inviteAccount', [], { failed });
  const change = useDoing('changeAccount', ['listAccounts'], { failed });
  const remove = useDoing('removeAccount', ['listAccounts']);
  const isDisabled = account.disabledAt !== undefined;
  return (
    <span className="flex flex-wrap gap-1">
      <Button small onClick={() => setOpen(true)}>
        {t('accounts.change')}
      </Button>
      {passwords && account.issuer === undefined ? (
        <Button small busy={invite.isPending} onClick={() => invite.mutate({ params })}>
          {t('accounts.invite')}
        </Button>
      ) : null}
      <Button small busy={change.isPending} onClick={() => change.mutate({ params, body: { disabled: !isDisabled } })}>
        {t(isDisabled ? 'accounts.enable' : 'accounts.disable')}
      </Button>
      <Button small look="danger" onClick={() => setRemoving(true)}>
        {t('accounts.remove')}
      </Button>
      {open ? <PersonDialog account={account} onClose={() => setOpen(false)} /> : null}
      {invite.data === undefined ? null : (
        <Dialog title={t('accounts.invite')} onClose={() => invite.reset()}>
          <InvitationLink email={account.email} invitation={invite.data} />
        </Dialog>
      )}
      {removing ? (
        <Confirm
          title={t('accounts.remove')}
          act={t('accounts.remove')}
          danger
          busy={remove.isPending}
          problem={remove.error}
          onConfirm={() => remove.mutate({ params })}
          onClose={() => setRemoving(false)}
        >
          {t('accounts.removeMeaning', { email: account.email })}
        </Confirm>
      ) : null}
    </span>
  );
}
