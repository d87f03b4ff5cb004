import { useQuery } from '@tanstack/react-query';
import { Siren } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyRequest } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Comparison } from './comparison.tsx';

/** As often as the page asks for the active version, so that both change together. */
const requestsEveryMs = 5_000;

/** The requests of the open workspace, newest first. */
export function useRequests(): readonly PolicyRequest[] | undefined {
  const workspace = useWorkspaceName();
  return useQuery(asking('listPolicyRequests', { params: { workspace } }, requestsEveryMs)).data?.items;
}

/** Marks the active version if one person activated it and a second one has not confirmed it. */
export function EmergencyBadge({ version }: { readonly version: number }): ReactElement | null {
  const { t } = useTranslation();
  const isOne = useRequests()?.some((one) => one.state === 'emergency' && one.version === version) ?? false;
  return isOne ? <Badge tone="bad">{t('policy.request.emergency')}</Badge> : null;
}

interface EmergencyProps {
  readonly version: number;
  readonly active: number;
}

/** Activates a version without a second person, where one is required and the reader may approve. */
export function EmergencyButton(props: EmergencyProps): ReactElement | null {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  const takesTwo = useWorkspace()?.settings.fourEyes === true;
  const mayApprove = useRight('approve');
  if (!takesTwo || !mayApprove) return null;
  return (
    <>
      <Button small look="danger" onClick={() => setAsked(true)}>
        <Siren aria-hidden className="size-3.5" />
        {t('emergency.act')}
      </Button>
      {asked ? <EmergencyQuestion {...props} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

function EmergencyQuestion({
  version,
  active,
  onClose,
}: EmergencyProps & { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [reason, setReason] = useState('');
  const activate = useDoing('activatePolicyInEmergency', ['readWorkspace', 'listPolicies', 'listPolicyRequests'], {
    done: () => notices.say(t('policy.applied', { version })),
  });
  return (
    <Dialog title={t('emergency.title', { version })} wide onClose={onClose}>
      <Form
        onSubmit={() =>
          activate.mutate(
            { params: { workspace, version }, body: { reason, ifVersion: active } },
            { onSuccess: onClose },
          )
        }
      >
        <p className="rounded-md bg-bad-wash px-3 py-2 text-sm">{t('emergency.terms', { active })}</p>
        <Comparison from={active} to={version} />
        <Field
          label={t('emergency.reason')}
          hint={t('emergency.reasonHint')}
          required
          minLength={10}
          maxLength={1_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <DialogEnd problem={activate.error} onCancel={onClose}>
          <Button type="submit" look="danger" busy={activate.isPending}>
            {t('emergency.now')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}
