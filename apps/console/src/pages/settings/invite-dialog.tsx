import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import type { RolesInWorkspace } from '../../api/operations.generated.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { RolesField } from './roles-field.tsx';

/** Creates an account with its roles, and a password link. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [granted, setGranted] = useState<readonly RolesInWorkspace[]>([]);
  const create = useDoing('createAccount', ['listAccounts']);
  return (
    <Dialog title={t('accounts.add')} wide onClose={onClose}>
      {create.data === undefined ? (
        <Form onSubmit={() => create.mutate({ body: { email, name, roles: granted } })}>
          <Field label={t('accounts.name')} required value={name} onChange={(event) => setName(event.target.value)} />
          <EmailField label={t('accounts.email')} value={email} onChange={setEmail} />
          <RolesField value={granted} onChange={setGranted} />
          {create.error === null ? null : <ProblemNote problem={create.error} />}
          <Button look="main" type="submit" busy={create.isPending} disabled={granted.length === 0}>
            {t('accounts.add')}
          </Button>
        </Form>
      ) : (
        <InvitationLink email={create.data.email} invitation={create.data.invitation} />
      )}
    </Dialog>
  );
}
