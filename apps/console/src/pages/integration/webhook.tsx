import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useWrittenIn } from '../../parts/use-draft.ts';

/** Webhook settings: address, delivery mode and signing secrets. */
export function Webhook(): ReactElement {
  const { t } = useTranslation();
  const name = useWorkspaceName();
  const workspace = useWorkspace();
  const signing = useQuery(asking('readSigning', { params: { workspace: name } })).data;
  const mayChange = useRight('administer');
  if (workspace === undefined) return <Loading rows={3} />;
  const { settings, owners } = workspace;
  const byFile = owners.settings === 'config';
  return (
    <Panel
      title={t('integration.webhook')}
      hint={byFile ? t('integration.byFile') : undefined}
      tools={
        mayChange ? (
          <>
            {signing?.beforeUntil === undefined ? null : <RetireSecret />}
            <RotateSecret />
          </>
        ) : null
      }
    >
      <Facts
        of={[
          {
            name: t('integration.address'),
            value:
              settings.webhook === undefined ? (
                t('deliveries.noUrl')
              ) : (
                <code className="font-mono text-xs break-all">{settings.webhook.url}</code>
              ),
          },
          {
            name: t('integration.deliver'),
            value: (
              <Badge tone={settings.deliver === 'live' ? 'good' : 'cool'}>
                {t(`integration.delivers.${settings.deliver}`)}
              </Badge>
            ),
          },
          { name: t('integration.clientHash'), value: settings.webhook?.clientHash ?? '–' },
          {
            name: t('integration.retries'),
            value: t(settings.webhook?.retryNotExecuted === true ? 'state.yes' : 'state.no'),
          },
          {
            name: t('integration.overlap'),
            value:
              signing?.beforeUntil === undefined ? t('integration.oneSecret') : <Instant at={signing.beforeUntil} />,
          },
        ]}
      />
      {mayChange && !byFile ? (
        <WebhookForm url={settings.webhook?.url ?? ''} live={settings.deliver === 'live'} />
      ) : null}
    </Panel>
  );
}

function WebhookForm({ url: kept, live }: { readonly url: string; readonly live: boolean }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const client = useQueryClient();
  const [typed, setTyped] = useWrittenIn<string | undefined>(`webhook ${workspace}`, undefined);
  const url = typed ?? kept;
  const change = useDoing('changeWorkspace', ['readWorkspace', 'readIntegration'], {
    done: (answer, { params, body }) => {
      client.setQueryData(asking('readWorkspace', { params }).queryKey, answer);
      if (body?.settings?.webhook !== undefined) setTyped(undefined);
      notices.say(t('state.saved'));
    },
  });
  const save = (settings: Readonly<Record<string, unknown>>): void =>
    change.mutate({ params: { workspace }, body: { settings } });
  return (
    <Form className="mt-3 flex flex-col gap-3 border-t border-line pt-3" onSubmit={() => save({ webhook: { url } })}>
      <Field
        label={t('integration.address')}
        type="url"
        required
        mono
        value={url}
        onChange={({ target }) => setTyped(target.value === kept ? undefined : target.value)}
      />
      {change.error === null ? null : <ProblemNote problem={change.error} />}
      <div className="flex justify-end gap-2">
        <Button busy={change.isPending} onClick={() => save({ deliver: live ? 'observe' : 'live' })}>
          {t(live ? 'integration.observe' : 'integration.goLive')}
        </Button>
        <Button look="main" type="submit" busy={change.isPending} disabled={url === kept}>
          {t('act.save')}
        </Button>
      </div>
    </Form>
  );
}

/** Retires the previous signing secret once the bank has the new one. */
function RetireSecret(): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName() };
  const [asked, setAsked] = useState(false);
  const close = (): void => setAsked(false);
  const retire = useDoing('retireSigningSecret', ['readSigning']);
  return (
    <>
      <Button small onClick={() => setAsked(true)}>
        {t('integration.retire')}
      </Button>
      {asked ? (
        <Confirm
          title={t('integration.retire')}
          act={t('integration.retire')}
          danger
          busy={retire.isPending}
          problem={retire.error}
          onConfirm={() => retire.mutate({ params }, { onSuccess: close })}
          onClose={close}
        >
          {t('integration.retireMeaning')}
        </Confirm>
      ) : null}
    </>
  );
}

function RotateSecret(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const rotate = useDoing('rotateSigningSecret', ['readSigning']);
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button small onClick={() => setAsked(true)}>
        <RefreshCw aria-hidden className="size-3.5" />
        {t('integration.rotate')}
      </Button>
      {asked ? (
        <Dialog title={t('integration.rotate')} onClose={() => (setAsked(false), rotate.reset())}>
          {rotate.data === undefined ? (
            <div className="flex flex-col gap-4 text-sm">
              <p className="text-soft">{t('integration.rotateMeaning')}</p>
              {rotate.error === null ? null : <ProblemNote problem={rotate.error} />}
              <Button
                look="main"
                busy={rotate.isPending}
                onClick={() => rotate.mutate({ params: { workspace }, body: {} })}
              >
                {t('integration.rotate')}
              </Button>
            </div>
          ) : (
            <>
              <p className="mb-3 text-sm text-soft">{t('integration.shownOnce')}</p>
              <CodeBlock label={t('integration.rotate')} wrap text={rotate.data.signingSecret} />
            </>
          )}
        </Dialog>
      ) : null}
    </>
  );
}
