import { useQuery } from '@tanstack/react-query';
import { GitCompareArrows, History } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyVersion } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Instant } from '../../parts/instant.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ComparedAnew } from './compared-anew.tsx';
import { Comparison, useComparison } from './comparison.tsx';
import { EmergencyBadge, EmergencyButton } from './emergency.tsx';
import { Requests } from './requests.tsx';
import { WarmStart } from './warm-start.tsx';

interface VersionsProps {
  readonly active: number;
  readonly mayActivate: boolean;
}

/** Every stored version. Versions are immutable; any of them can be activated. */
export function Versions({ active, mayActivate }: VersionsProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const versions = useQuery(asking('listPolicies', { params: { workspace } }));
  return (
    <>
      <Requests active={active} />
      <Panel title={t('policy.tab.versions')} flush>
        <Asked of={versions}>
          {({ items }) => (
            <ul className="divide-y divide-line text-sm">
              {items.map((version) => (
                <VersionRow key={version.version} version={version} active={active} mayActivate={mayActivate} />
              ))}
            </ul>
          )}
        </Asked>
      </Panel>
    </>
  );
}

function VersionRow({
  version: one,
  active,
  mayActivate,
}: VersionsProps & { readonly version: PolicyVersion }): ReactElement {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<'compare' | 'activate'>();
  const isByFile = useWorkspace()?.owners.policy === 'config';
  const close = (): void => setAsked(undefined);
  return (
    <li className="flex items-center gap-4 px-4 py-2.5">
      <span className="w-10 text-base font-semibold">{one.version}</span>
      <span className="min-w-0 grow">
        <span className="font-medium">{one.comment === '' ? t('policy.noComment') : one.comment}</span>
        <span className="block text-xs text-soft">
          {one.author} · <Instant at={one.createdAt} /> · <span className="font-mono">{one.hash.slice(0, 12)}</span>
        </span>
      </span>
      {one.active ? <EmergencyBadge version={one.version} /> : null}
      {one.active ? <Badge tone="good">{t('policy.decides')}</Badge> : null}
      {one.version === active ? null : (
        <Button small onClick={() => setAsked('compare')}>
          <GitCompareArrows aria-hidden className="size-3.5" />
          {t('policy.compare')}
        </Button>
      )}
      {one.active || !mayActivate ? null : (
        <Button small onClick={() => setAsked('activate')}>
          <History aria-hidden className="size-3.5" />
          {t('policy.activate')}
        </Button>
      )}
      {one.active || isByFile ? null : <EmergencyButton version={one.version} active={active} />}
      {asked === 'compare' ? (
        <Dialog title={t('policy.compareTitle', { from: active, to: one.version })} wide onClose={close}>
          <Comparison from={active} to={one.version} />
        </Dialog>
      ) : null}
      {asked === 'activate' ? <Activate from={active} to={one.version} onClose={close} /> : null}
    </li>
  );
}

interface ActivateProps {
  readonly from: number;
  readonly to: number;
  readonly onClose: () => void;
}

function Activate({ from, to, onClose }: ActivateProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [comment, setComment] = useState('');
  const [isWarm, setWarm] = useState(false);
  const isFourEyes = useWorkspace()?.settings.fourEyes === true;
  const request = useDoing('requestPolicy', ['listPolicyRequests'], {
    done: () => notices.say(t('policy.requested')),
  });
  const activate = useDoing('activatePolicy', ['readWorkspace', 'listPolicies', 'listPolicyStarts'], {
    done: (_, { params: { version } }) => {
      const undo = (): void => run({ version: from, ifVersion: to }, t('policy.takenBack', { version }));
      notices.say(t('policy.applied', { version }), version === to ? undo : undefined);
    },
    // An undo has no dialog that could show the error.
    failed: ({ detail }, { params: { version } }) => version === to || notices.warn(detail),
  });
  const { changes } = useComparison({ from, to });
  const hasNewFeatures = changes?.hasNewFeatures === true;
  const takesTwo = isFourEyes || changes?.raisesControl === true;
  const warm = isWarm && hasNewFeatures ? { warmFrom: {} } : {};
  const run = ({ version, ifVersion }: { readonly version: number; readonly ifVersion: number }, why: string): void =>
    activate.mutate(
      { params: { workspace, version }, body: { comment: why, ifVersion, ...warm } },
      { onSuccess: onClose },
    );
  const ask = (): void =>
    request.mutate({ params: { workspace }, body: { version: to, comment, ...warm } }, { onSuccess: onClose });
  return (
    <Dialog title={t('policy.activateTitle', { version: to })} onClose={onClose} wide>
      <Form onSubmit={() => (takesTwo ? ask() : run({ version: to, ifVersion: from }, comment))}>
        <ComparedAnew active={from} isBusy={activate.isPending} />
        <Comparison from={from} to={to} />
        <Field
          label={t('policy.comment')}
          required
          maxLength={1_000}
          value={comment}
          onChange={({ target }) => setComment(target.value)}
        />
        {hasNewFeatures ? <WarmStart isWarm={isWarm} onChange={setWarm} /> : null}
        <DialogEnd problem={activate.error ?? request.error} onCancel={onClose}>
          <Button type="submit" look="main" busy={activate.isPending || request.isPending}>
            {t(takesTwo ? 'policy.ask' : 'policy.activate')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}
