import { useQuery } from '@tanstack/react-query';
import { PlugZap } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { BreakerBadge } from '../../parts/breaker-badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PauseSwitch } from './pause-switch.tsx';

const everyMs = 5_000;

/** The state of the webhook, and the pause switch. */
export function EndpointHealth(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const settings = useWorkspace()?.settings;
  const integration = useQuery(asking('readIntegration', { params: { workspace } }, everyMs));
  return (
    <section aria-label={t('deliveries.endpoint')} className="rounded-lg border border-line bg-card">
      <Asked of={integration} rows={1}>
        {({ endpoint, pauses }) => (
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 text-sm">
            {pauses.length === 0 ? null : (
              <Badge tone="warn">
                {t(pauses.some(({ scope }) => scope === 'all') ? 'deliveries.pausedAll' : 'deliveries.pausedHere')}
              </Badge>
            )}
            {settings?.webhook === undefined ? (
              <Badge tone="plain">{t('deliveries.noUrl')}</Badge>
            ) : (
              <>
                <BreakerBadge
                  state={endpoint.state === 'closed' && endpoint.failures > 0 ? 'failing' : endpoint.state}
                />
                <code className="truncate font-mono text-xs">{settings.webhook.url}</code>
              </>
            )}
            {endpoint.failures === 0 ? null : (
              <span className="text-bad">{t('deliveries.failures', { count: endpoint.failures })}</span>
            )}
            {endpoint.failingSince === undefined ? null : (
              <span className="text-soft">
                {t('deliveries.since')} <Instant at={endpoint.failingSince} />
              </span>
            )}
            {endpoint.nextProbeAt === undefined ? null : (
              <span className="text-soft">
                {t('deliveries.probe')} <Instant at={endpoint.nextProbeAt} as="clock" />
              </span>
            )}
            <div className="ml-auto flex gap-2">
              {endpoint.state === 'closed' ? null : <EnableButton />}
              <PauseSwitch pauses={pauses} />
            </div>
          </div>
        )}
      </Asked>
    </section>
  );
}

function EnableButton(): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayEnable = useRight('administer');
  const enable = useDoing('enableWebhook', ['readIntegration']);
  if (!mayEnable) return null;
  return (
    <Button small busy={enable.isPending} onClick={() => enable.mutate({ params: { workspace } })}>
      <PlugZap aria-hidden className="size-3.5" />
      {t('deliveries.tryNow')}
    </Button>
  );
}
