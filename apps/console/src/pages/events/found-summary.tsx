import { useNavigate } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { type ReactElement, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { FoundEvents, SearchedEvents } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Chart } from '../../charts/chart.tsx';
import type { ChartColours } from '../../charts/colours.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { listedWhole, RowList } from '../../parts/row-list.tsx';
import { eventColumns } from './event-columns.tsx';
import { ExportEvents } from './export-events.tsx';
import { foundOption } from './found-option.ts';
import { FoundTops } from './found-tops.tsx';

interface FoundSummaryProps {
  readonly searched: SearchedEvents;
  readonly isRunning: boolean;
}

/** Search results: counts, amounts, distribution over time, top values and the newest events. */
export function FoundSummary({ searched, isRunning }: FoundSummaryProps): ReactElement {
  const { t } = useTranslation();
  const { found, notes } = searched;
  if (found.counts.events === 0) {
    return isRunning ? (
      <></>
    ) : (
      <Panel>
        <Empty sign={SearchX} title={t('find.none')}>
          {t('find.noneHint')}
        </Empty>
      </Panel>
    );
  }
  return (
    <>
      <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,3fr)_minmax(0,4fr)] items-stretch gap-4">
        <Numbers found={found} notes={notes} isRunning={isRunning} />
        <OverTime found={found} />
      </div>
      <FoundTops tops={found.tops} />
      <FoundList found={found} isRunning={isRunning} />
    </>
  );
}

function Numbers(props: {
  readonly found: FoundEvents;
  readonly notes: readonly string[];
  readonly isRunning: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { counts, money } = props.found;
  const shown = formats.number(counts.events);
  return (
    <Panel>
      <p className="pt-2 text-2xl font-semibold tracking-tight" role="status">
        {t(props.isRunning ? 'find.foundSoFar' : 'find.found', { count: counts.events, shown })}
      </p>
      <p className="text-sm text-soft">
        {t('find.fraud', { fraud: formats.number(counts.fraud), legitimate: formats.number(counts.legitimate) })}
      </p>
      {money.length === 0 ? null : (
        <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <dt className="eyebrow col-span-full">{t('find.sum')}</dt>
          {money.flatMap(({ currency, fraud, legitimate, unlabelled }) => [
            <dt key={`${currency} name`} className="text-soft">
              {currency === '' ? '–' : currency}
            </dt>,
            <dd key={currency} className="font-medium">
              {formats.amount(sumOf([fraud, legitimate, unlabelled]))}
            </dd>,
          ])}
        </dl>
      )}
      {props.notes.map((note) => (
        <p key={note} className="mt-2 text-xs text-warn">
          {note}
        </p>
      ))}
    </Panel>
  );
}

/** Exact sums of decimal strings: integers in the smallest unit that occurs. */
function sumOf(amounts: readonly string[]): string {
  const scale = Math.max(...amounts.map((text) => text.split('.')[1]?.length ?? 0));
  const total = amounts.reduce((sum, text) => {
    const [whole = '0', fraction = ''] = text.split('.');
    return sum + BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
  }, 0n);
  if (scale === 0) return String(total);
  const digits = String(total).padStart(scale + 1, '0');
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Selecting a span with the pointer searches in it. */
function OverTime({ found }: { readonly found: FoundEvents }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const navigate = useNavigate({ from: '/w/$workspace/events' });
  const option = useCallback(
    (colours: ChartColours) => foundOption(found, { colours, formats, t }),
    [found, formats, t],
  );
  const zoom = (fromMs: number, toMs: number): void =>
    void navigate({
      search: ({ range: _range, ...before }) => ({
        ...before,
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
      }),
    });
  return (
    <Panel title={t('find.bucket')}>
      <Chart label={t('find.bucket')} height={170} option={option} onZoom={zoom} />
    </Panel>
  );
}

function FoundList({ found, isRunning }: { readonly found: FoundEvents; readonly isRunning: boolean }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const navigate = useNavigate();
  const columns = useMemo(() => eventColumns(t, workspace), [t, workspace]);
  const { events, counts } = found;
  return (
    <Panel
      flush
      title={t('section.events')}
      hint={events.length < counts.events ? t('find.newest', { count: events.length }) : undefined}
      tools={<ExportEvents find={() => Promise.resolve(events.map(({ id }) => id))} disabled={isRunning} />}
    >
      <RowList
        label={t('section.events')}
        of={listedWhole(events)}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$workspace/events/$event', params: { workspace, event: id } })}
        empty={null}
      />
    </Panel>
  );
}
