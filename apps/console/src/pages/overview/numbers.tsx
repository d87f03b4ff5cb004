import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import type { ActionsSearch } from '../deliveries/actions-search.ts';

/** Key figures. Each links to what it counts, except sessions, which have no list. */
export function Numbers({ overview: { totals, activeSessions } }: { readonly overview: Overview }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const params = { workspace: useWorkspaceName() };
  const events = (search: { readonly fired?: true }): LinkProps => ({ to: '/w/$workspace/events', params, search });
  const actions = (search: ActionsSearch): LinkProps => ({ to: '/w/$workspace/deliveries', params, search });
  const undelivered = totals.failed + totals.capped;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line md:grid-cols-5">
      <Figure name={t('overview.events')} value={formats.number(totals.events)} link={events({})}>
        {t('overview.kinds', {
          logins: t('overview.logins', { count: totals.logins, shown: formats.number(totals.logins) }),
          operations: t('overview.operations', { count: totals.operations, shown: formats.number(totals.operations) }),
        })}
      </Figure>
      <Figure name={t('overview.sessions')} value={formats.number(activeSessions)}>
        {t('overview.sessionsHint')}
      </Figure>
      <Figure
        name={t('overview.fired')}
        value={formats.number(totals.fired)}
        link={events({ fired: true })}
        tone={totals.fired > 0 ? 'text-bad' : ''}
      >
        {t('overview.inShadow', { count: totals.shadow, shown: formats.number(totals.shadow) })}
      </Figure>
      <Figure
        name={t('overview.executed')}
        value={formats.number(totals.executed)}
        link={actions({ state: 'executed' })}
      >
        <Link {...actions({ state: 'notExecuted' })} className="hover:underline">
          {t('overview.notExecuted', { count: totals.notExecuted, shown: formats.number(totals.notExecuted) })}
        </Link>
      </Figure>
      <Figure
        name={t('overview.undelivered')}
        value={formats.number(undelivered)}
        link={actions(totals.failed > 0 ? {} : { state: 'capped' })}
        tone={totals.failed > 0 ? 'text-bad' : ''}
      >
        <Link {...actions({ state: 'capped' })} className="hover:underline">
          {t('overview.capped', { count: totals.capped, shown: formats.number(totals.capped) })}
        </Link>
      </Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  /** Link to what is counted. */
  readonly link?: LinkProps;
  readonly tone?: string;
  readonly children: ReactNode;
}

function Figure({ name, value, link, tone, children }: FigureProps): ReactElement {
  return (
    <div className="bg-card px-4 py-3 max-md:last:col-span-2">
      <dt className="eyebrow">{name}</dt>
      <dd className={`mt-1 text-2xl font-semibold tracking-tight ${tone ?? ''}`}>
        {link === undefined ? (
          value
        ) : (
          <Link {...link} className="hover:underline">
            {value}
          </Link>
        )}
      </dd>
      <dd className="mt-0.5 text-xs text-soft">{children}</dd>
    </div>
  );
}
