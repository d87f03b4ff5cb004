import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { SearchHit } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { entitySigns } from '../entity/entity-kinds.ts';

/** Exact matches of a text: a client, session, address, payee or event. */
export function SearchPage(): ReactElement {
  const { t } = useTranslation();
  const { text = '' } = useSearch({ from: '/w/$workspace/search' });
  const workspace = useWorkspaceName();
  const hits = useQuery({ ...asking('search', { params: { workspace }, body: { text } }), enabled: text !== '' });
  return (
    <Page title={t('search.title', { text })} lead={t('search.lead')}>
      <Panel flush>
        {text === '' ? (
          <Empty sign={SearchX} title={t('search.nothingTyped')} />
        ) : (
          <Asked of={hits} rows={4}>
            {({ items }) =>
              items.length === 0 ? (
                <Empty sign={SearchX} title={t('search.none')}>
                  {t('search.noneHint')}
                </Empty>
              ) : (
                <ul className="divide-y divide-line text-sm">
                  {items.map((hit) => (
                    <Hit key={`${hit.kind}${hit.ref}`} hit={hit} text={text} />
                  ))}
                </ul>
              )
            }
          </Asked>
        )}
      </Panel>
    </Page>
  );
}

function Hit({ hit, text }: { readonly hit: SearchHit; readonly text: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const row = 'flex h-11 items-center gap-3 px-4 hover:bg-sunken';
  if (hit.kind === 'event') {
    return (
      <li>
        <Link to="/w/$workspace/events/$event" params={{ workspace, event: hit.ref }} className={row}>
          {t('event.title')} <span className="font-mono text-xs">{hit.ref}</span>
        </Link>
      </li>
    );
  }
  if (hit.kind === 'action') {
    return (
      <li>
        <Link to="/w/$workspace/deliveries/$action" params={{ workspace, action: hit.ref }} className={row}>
          {t('action.title')} <span className="font-mono text-xs">{hit.ref}</span>
        </Link>
      </li>
    );
  }
  const Sign = entitySigns[hit.kind];
  return (
    <li>
      <Link to="/w/$workspace/about/$kind/$ref" params={{ workspace, kind: hit.kind, ref: hit.ref }} className={row}>
        <Sign aria-hidden className="size-4 text-soft" />
        {t(`entity.kind.${hit.kind}`)} <span className="font-medium">{text}</span>
        <span className="ml-auto text-xs text-soft">
          {t('entity.events', { count: hit.events })} · {t('entity.last')} <Instant at={hit.lastAt} as="ago" />
        </span>
      </Link>
    </li>
  );
}
