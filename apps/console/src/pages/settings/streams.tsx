import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Stream } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';

const tones = { running: 'good', late: 'warn', failing: 'bad', stopped: 'warn' } as const;
const refreshMs = 5_000;

/** Streams of decisions to other systems, with how far they are behind. */
export function Streams(): ReactElement {
  const { t } = useTranslation();
  const streams = useQuery({ ...asking('listStreams', {}), refetchInterval: refreshMs });
  return (
    <Panel title={t('streams.title')} flush>
      <p className="border-b border-line px-4 py-2.5 text-sm text-soft">{t('streams.hint')}</p>
      <Asked of={streams} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 py-2.5 text-sm text-soft">{t('streams.none')}</p>
          ) : (
            <ul className="divide-y divide-line text-sm">
              {items.map((stream) => (
                <StreamRow key={stream.name} stream={stream} />
              ))}
            </ul>
          )
        }
      </Asked>
    </Panel>
  );
}

function stateOf({ running, failingSince, lagSeconds }: Stream): keyof typeof tones {
  if (failingSince !== undefined) return 'failing';
  if (!running) return 'stopped';
  return lagSeconds > 0 ? 'late' : 'running';
}

function StreamRow({ stream }: { readonly stream: Stream }): ReactElement {
  const { t, i18n } = useTranslation();
  const { name, target, lagSeconds, kinds, failingSince, error, lostAt } = stream;
  const state = stateOf(stream);
  const grouped = (count: number): string => count.toLocaleString(i18n.language);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-64">
        <span className="font-medium">{name}</span>
        <span className="block truncate text-xs text-soft" title={target}>
          {target}
        </span>
      </span>
      <span className="min-w-48 flex-1 text-soft">
        {kinds.map(({ kind, sent }) => `${grouped(sent)} ${t(`streams.kind.${kind as 'decisions'}`)}`).join(' · ')}
        {failingSince === undefined ? null : (
          <span className="block text-xs text-bad">
            {t('streams.error')} <Instant at={failingSince} as="ago" />: {error}
          </span>
        )}
        {lostAt === undefined ? null : (
          <span className="block text-xs text-bad">
            {t('streams.lost')} <Instant at={lostAt} />
          </span>
        )}
      </span>
      {lagSeconds > 0 ? <span className="text-soft">{t('streams.lag', { seconds: grouped(lagSeconds) })}</span> : null}
      <Badge tone={tones[state]}>{t(`streams.state.${state}`)}</Badge>
    </li>
  );
}
