import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Invitation } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { CodeBlock } from '../../parts/code-block.tsx';

interface InvitationLinkProps {
  readonly email: string;
  readonly invitation: Invitation;
}

/** A password link, shown only once. */
export function InvitationLink({ email, invitation }: InvitationLinkProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const text = t('accounts.invitation', { email, until: formats.instant(invitation.expiresAt) });
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-soft">{text}</p>
      <CodeBlock label={text} wrap text={`${location.origin}${invitation.path}`} />
    </div>
  );
}
