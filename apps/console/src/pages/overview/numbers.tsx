import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';

/** The numbers that one looks at first; each leads to what it counts. */
export function Numbers({ overview: { totals, activeSessions } }: { readonly overview: Overview }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const params = { workspace };
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-card md:grid-cols-5">
      <Figure name={t('overview.events')} value={formats.number(totals.events)}>
        <Link to="/w/$workspace/events" params={params} className="hover:underline">
          {t('overview.kinds', {
            logins: t('overview.logins', { count: totals.logins, shown: formats.number(totals.logins) }),
            operations: t('overview.operations', {
              count: totals.operations,
              shown: formats.number(totals.operations),
            }),
          })}
        </Link>
      </Figure>
      <Figure name={t('overview.sessions')} value={formats.number(activeSessions)}>
        {t('overview.sessionsHint')}
      </Figure>
      <Figure name={t('overview.fired')} value={formats.number(totals.fired)} tone={totals.fired > 0 ? 'text-bad' : ''}>
        <Link to="/w/$workspace/events" params={params} search={{ fired: true }} className="hover:underline">
          {t('overview.inShadow', { count: totals.shadow, shown: formats.number(totals.shadow) })}
        </Link>
      </Figure>
      <Figure name={t('overview.executed')} value={formats.number(totals.executed)}>
        <Link
          to="/w/$workspace/deliveries"
          params={params}
          search={{ state: 'notExecuted' }}
          className="hover:underline"
        >
          {t('overview.notExecuted', { count: totals.notExecuted, shown: formats.number(totals.notExecuted) })}
        </Link>
      </Figure>
      <Figure
        name={t('overview.undelivered')}
        value={formats.number(totals.failed + totals.held)}
        tone={totals.failed > 0 ? 'text-bad' : ''}
      >
        <Link to="/w/$workspace/deliveries" params={params} search={{ state: 'held' }} className="hover:underline">
          {t('overview.held', { count: totals.held, shown: formats.number(totals.held) })}
        </Link>
      </Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly tone?: string;
  readonly children: ReactNode;
}

function Figure({ name, value, tone, children }: FigureProps): ReactElement {
  return (
    <div className="border-r border-line px-4 py-3 last:border-0">
      <dt className="eyebrow">{name}</dt>
      <dd className={`mt-1 text-2xl font-semibold tracking-tight ${tone ?? ''}`}>{value}</dd>
      <dd className="mt-0.5 text-xs text-soft">{children}</dd>
    </div>
  );
}
