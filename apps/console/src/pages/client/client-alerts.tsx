import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Alert } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { OutcomeBadge } from '../alerts/outcome-badge.tsx';

/** Enough for a person to read; the queue has the rest. */
const shownMax = 5;

/** The alerts of a client with their decisions and comments. */
export function ClientAlerts({ client }: { readonly client: string }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const query = { clientRef: client, limit: shownMax, ...usePersonal() };
  const open = useQuery(asking('listAlerts', { params: { workspace }, query: { ...query, state: 'open' } }));
  const closed = useQuery(asking('listAlerts', { params: { workspace }, query: { ...query, state: 'closed' } }));
  const alerts = [...(open.data?.items ?? []), ...(closed.data?.items ?? [])].slice(0, shownMax);
  if (alerts.length === 0) return null;
  return (
    <Panel title={t('clientAlerts.title')}>
      <ul className="flex flex-col gap-3 text-sm">
        {alerts.map((alert) => (
          <AlertNotes key={alert.id} alert={alert} />
        ))}
      </ul>
    </Panel>
  );
}

function AlertNotes({ alert }: { readonly alert: Alert }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const params = { workspace, alert: alert.id };
  const detail = useQuery(asking('readAlert', { params, query: usePersonal() })).data;
  return (
    <li>
      <p className="flex items-center gap-2">
        {alert.outcome === undefined ? (
          <Badge tone="warn">{t('clientAlerts.open')}</Badge>
        ) : (
          <OutcomeBadge outcome={alert.outcome} />
        )}
        <Link
          to="/w/$workspace/alerts"
          params={{ workspace }}
          search={{ view: alert.state === 'open' ? 'queue' : 'closed', alert: alert.id }}
          className="font-medium hover:text-fence hover:underline"
        >
          {t('clientAlerts.decisions', { count: alert.decisions })}
        </Link>
        <span className="ml-auto text-xs text-soft">
          <Instant at={alert.lastAt} as="ago" />
        </span>
      </p>
      {detail?.comments.map(({ at, author, text }) => (
        <p key={`${at}${author}`} className="mt-1 border-l-2 border-line pl-2 text-xs text-soft">
          {text ?? '–'} <span className="whitespace-nowrap">({author})</span>
        </p>
      ))}
    </li>
  );
}
