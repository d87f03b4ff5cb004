import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview } from '../../api/operations.generated.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { BreakerBadge } from '../../parts/breaker-badge.tsx';
import { classNames } from '../../parts/class-names.ts';

/** Lag beyond which the engine is shown as late. */
const lateMs = 5_000;

/** Whether decisions and deliveries are up to date. */
export function ServiceHealth({ engine, deliveries, totals }: Overview): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const hasWebhook = useWorkspace()?.settings.webhook !== undefined;
  return (
    <dl className="flex flex-wrap items-center gap-x-8 gap-y-2 rounded-lg border border-line bg-card px-4 py-2.5 text-sm">
      {engine.newLife === undefined ? null : <NewLife {...engine.newLife} />}
      <Part name={t('overview.engine')}>
        {engine.behind === 0 ? (
          <Badge tone="good">{t('overview.inTime')}</Badge>
        ) : (
          <Badge tone={engine.lagMs > lateMs ? 'bad' : 'plain'}>
            {t('overview.late', { count: engine.behind, lag: formats.durationMs(engine.lagMs) })}
          </Badge>
        )}
        {engine.quarantined === 0 ? null : (
          <Link
            to="/w/$workspace/events"
            params={{ workspace }}
            search={{ status: 'quarantined' }}
            className="text-bad hover:underline"
          >
            {t('overview.quarantined', { count: engine.quarantined })}
          </Link>
        )}
      </Part>
      <Part name={t('overview.webhook')}>
        {hasWebhook ? <BreakerBadge state={deliveries.endpoint ?? 'closed'} /> : <Badge>{t('deliveries.noUrl')}</Badge>}
        <Link to="/w/$workspace/deliveries" params={{ workspace }} className="text-soft hover:underline">
          {t('overview.underWay', { count: totals.open, shown: formats.number(totals.open) })}
        </Link>
      </Part>
    </dl>
  );
}

/** Acknowledged events may be lost, and only the bank can resend them. */
function NewLife({ since, keptUntil }: NonNullable<Overview['engine']['newLife']>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const times = { since: formats.instant(since), keptUntil: formats.instant(keptUntil) };
  return (
    <Part name={t('overview.database')} wide>
      <Badge tone="warn">{t('overview.newLife')}</Badge>
      <span>{t('overview.newLifeHint', times)}</span>
    </Part>
  );
}

interface PartProps {
  readonly name: string;
  /** Takes a full line. */
  readonly wide?: true;
  readonly children: ReactNode;
}

function Part({ name, wide, children }: PartProps): ReactElement {
  return (
    <div className={classNames('flex items-center gap-2.5', wide && 'basis-full')}>
      <dt className="eyebrow">{name}</dt>
      <dd className="flex items-center gap-2.5">{children}</dd>
    </div>
  );
}
