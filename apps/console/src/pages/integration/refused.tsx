import { useQuery } from '@tanstack/react-query';
import { BadgeCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RefusedRequest } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';

const everyMs = 5_000;
const shown = 20;

/** Rejected requests of the last week with all errors of each. */
export function Refused(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const refused = useQuery(asking('listRefused', { params: { workspace }, query: { limit: shown } }, everyMs));
  return (
    <Panel title={t('integration.refused')} hint={t('integration.refusedHint')} flush>
      <Asked of={refused} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty sign={BadgeCheck} title={t('integration.noneRefused')} />
          ) : (
            <ul
              className="max-h-[28rem] overflow-y-auto pb-2 text-sm"
              tabIndex={0}
              aria-label={t('integration.refused')}
            >
              {items.map((request) => (
                <RefusedRow key={request.id} request={request} />
              ))}
            </ul>
          )
        }
      </Asked>
    </Panel>
  );
}

function RefusedRow({ request }: { readonly request: RefusedRequest }): ReactElement {
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex items-center gap-2">
        <Badge tone="bad">{request.status}</Badge>
        <span className="font-mono text-xs">{request.code}</span>
        <span className="truncate font-mono text-xs text-soft">
          {request.method} {request.path}
        </span>
        <span className="ml-auto text-xs text-soft">
          <Instant at={request.at} />
        </span>
      </div>
      {request.errors.map(({ pointer, detail }) => (
        <p key={`${pointer}${detail}`} className="mt-1 text-xs">
          <code className="font-mono font-medium">{pointer === '' ? '/' : pointer}</code>{' '}
          <span className="text-soft">{detail}</span>
        </p>
      ))}
    </li>
  );
}
