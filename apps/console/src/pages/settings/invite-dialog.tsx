import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { nameOf, useSession } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { InvitationLink } from './invitation-link.tsx';

const roles = ['viewer', 'analyst', 'author', 'approver', 'administrator'] as const;

/** Makes an account with one role, and the link by which the person sets a password. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { workspaces } = useSession();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof roles)[number]>('analyst');
  const [place, setPlace] = useState(workspaces[0]?.id ?? '*');
  const create = useDoing('createAccount', ['listAccounts']);
  const places = [
    ...workspaces.map((one) => ({ value: one.id, label: nameOf(one) })),
    { value: '*', label: t('accounts.everywhere') },
  ];
  return (
    <Dialog title={t('accounts.add')} onClose={onClose}>
      {create.data === undefined ? (
        <Form onSubmit={() => create.mutate({ body: { email, name, roles: [{ workspace: place, roles: [role] }] } })}>
          <Field label={t('accounts.name')} required value={name} onChange={(event) => setName(event.target.value)} />
          <Field
            label={t('accounts.email')}
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Choice
            label={t('accounts.roles')}
            value={role}
            onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? 'viewer')}
            options={roles.map((value) => ({ value, label: t(`accounts.role.${value}`) }))}
          />
          <Choice
            label={t('accounts.where')}
            value={place}
            onChange={(event) => setPlace(event.target.value)}
            options={places}
          />
          {create.error === null ? null : <ProblemNote problem={create.error} />}
          <Button look="main" type="submit" busy={create.isPending}>
            {t('accounts.add')}
          </Button>
        </Form>
      ) : (
        <InvitationLink email={create.data.email} invitation={create.data.invitation} />
      )}
    </Dialog>
  );
}
