import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Choice } from '../../parts/field.tsx';

interface HistorySourceProps {
  /** Text of the choice of the live log. */
  readonly log: string;
  readonly history: string | undefined;
  readonly onChange: (history: string | undefined) => void;
}

/** The live log, or an imported history with its size and time range. */
export function HistorySource({ log, history, onChange }: HistorySourceProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const { data } = useQuery(asking('listHistories', { params: { workspace } }));
  const options = (data?.items ?? []).map(({ name, events, from, to }) => ({
    value: name,
    label: t('tried.history', {
      name,
      count: events,
      events: formats.number(events),
      from: formats.day(from),
      to: formats.day(to),
    }),
  }));
  return (
    <Choice
      label={t('tried.source')}
      className="min-w-0 grow"
      value={history ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      options={[{ value: '', label: log }, ...options]}
    />
  );
}

/** How past events are imported, if none are. */
export function NoHistory(): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { data } = useQuery(asking('listHistories', { params: { workspace } }));
  if (data?.items.length !== 0) return null;
  return (
    <p className="text-xs text-soft">
      {t('tried.noHistory')}{' '}
      <code className="font-mono">ringfence import FILE -m mapping.yaml -w {workspace.replace(':', '/')}</code>
    </p>
  );
}
