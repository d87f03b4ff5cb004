import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Outcome } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { readTimeRange } from '../../url/time-range.ts';
import { EventViews } from '../events/event-views.tsx';
import { openStates, outcomeReasons, readOutcomesSearch } from './outcomes-search.ts';

const everyMs = 5_000;
const from = '/w/$workspace/events/outcomes';

/** Reported outcomes without an event: those that wait for it, and those that never find one. */
export function OutcomesPage(): ReactElement {
  const { t } = useTranslation();
  const { state, reasonCode } = useSearch({ from });
  const params = { workspace: useWorkspaceName() };
  const query = { state: state ?? ('open' as const), reasonCode, ...usePersonal() };
  const outcomes = useInfiniteQuery({ ...listing('listOutcomes', { params, query }), refetchInterval: everyMs });
  const isNarrow = state !== undefined || reasonCode !== undefined;
  return (
    <Page title={t('outcomes.title')} lead={t('outcomes.lead')} tools={<EventViews view="outcomes" />}>
      <Filters />
      <Panel flush>
        <Asked of={outcomes} rows={8}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            if (items.length > 0) return <OutcomeTable outcomes={items} />;
            return (
              <Empty sign={BadgeCheck} title={t(isNarrow ? 'outcomes.noneFiltered' : 'outcomes.none')}>
                {t('outcomes.noneHint')}
              </Empty>
            );
          }}
        </Asked>
        {outcomes.hasNextPage ? (
          <div className="p-2 text-center">
            <Button small look="quiet" busy={outcomes.isFetchingNextPage} onClick={() => void outcomes.fetchNextPage()}>
              {t('act.more')}
            </Button>
          </div>
        ) : null}
      </Panel>
    </Page>
  );
}

function Filters(): ReactElement {
  const { t } = useTranslation();
  const { state = '', reasonCode = '' } = useSearch({ from });
  const navigate = useNavigate({ from });
  const narrow = (change: Readonly<Record<string, unknown>>): void =>
    void navigate({
      search: (before) => ({ ...readTimeRange(before), ...readOutcomesSearch({ ...before, ...change }) }),
    });
  return (
    <div className="flex flex-wrap items-center gap-2" role="search" aria-label={t('outcomes.filters')}>
      <Choice
        bare
        label={t('event.state')}
        className="w-52"
        value={state}
        onChange={(event) => narrow({ state: event.target.value })}
        options={[
          { value: '', label: t('outcomes.anyState') },
          ...openStates.map((one) => ({ value: one, label: t(`outcomes.state.${one}`) })),
        ]}
      />
      <Choice
        bare
        label={t('outcomes.reasonOf')}
        className="w-80 max-w-full"
        value={reasonCode}
        onChange={(event) => narrow({ reasonCode: event.target.value })}
        options={[
          { value: '', label: t('outcomes.anyReason') },
          ...outcomeReasons.map((one) => ({ value: one, label: t(`outcomes.reason.${one}`) })),
        ]}
      />
    </div>
  );
}

function OutcomeTable({ outcomes }: { readonly outcomes: readonly Outcome[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <div tabIndex={0} className="overflow-x-auto">
      <table aria-label={t('outcomes.title')} className="w-full min-w-3xl text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            {(['arrived', 'outcome', 'about', 'reasonOf'] as const).map((name) => (
              <th key={name} className="eyebrow px-2 py-2 first:pl-4">
                {t(`outcomes.${name}`)}
              </th>
            ))}
            <th className="eyebrow py-2 pr-4 pl-2">{t('event.state')}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {outcomes.map((outcome) => (
            <OutcomeRow key={outcome.id} outcome={outcome} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OutcomeRow({ outcome }: { readonly outcome: Outcome }): ReactElement {
  const { t } = useTranslation();
  const { receivedAt, author, reason, reasonCode, state } = outcome;
  return (
    <tr className="align-top">
      <td className="py-2 pr-2 pl-4">
        <Instant at={receivedAt} />
        <span className="block text-xs text-soft">{author}</span>
      </td>
      <td className="px-2 py-2 font-medium">{t(`event.outcome.${outcome.outcome}`)}</td>
      <td className="px-2 py-2">
        <Address outcome={outcome} />
      </td>
      {/* Another release may have written a reason that has no code. */}
      <td className="px-2 py-2">{reasonCode === undefined ? reason : t(`outcomes.reason.${reasonCode}`)}</td>
      <td className="py-2 pr-4 pl-2">
        <Badge tone={state === 'waiting' ? 'watch' : 'warn'}>{t(`outcomes.state.${state}`)}</Badge>
      </td>
    </tr>
  );
}

/** By which the report names its event, in the members of the interface. */
function Address({ outcome }: { readonly outcome: Outcome }): ReactElement {
  const { t } = useTranslation();
  const { webhookId, event, user, reference } = outcome;
  const named = Object.entries({ webhookId, event, user, reference }).filter(([, value]) => value !== undefined);
  if (named.length === 0) return <span className="text-soft">{t('outcomes.erased')}</span>;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-0.5 font-mono text-xs">
      {named.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
