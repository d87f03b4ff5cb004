import { useNavigate, useSearch } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspace } from '../api/use-workspace.ts';
import { useFormats } from '../format/use-formats.ts';
import { zonedInstant, zonedText } from '../format/zoned-time.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { defaultRange, relativeRanges, type TimeRangeSearch } from '../url/time-range.ts';

/** The time range of all pages. It is kept during navigation and part of every link. */
export function TimePicker(): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const timeZone = useWorkspace()?.settings.timezone ?? 'UTC';
  const search = useSearch({ from: '/w/$workspace' });
  const navigate = useNavigate();
  const choose = (time: TimeRangeSearch): void =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, range: undefined, from: undefined, to: undefined, ...time }) as never,
    });
  const chosen = search.from === undefined ? (search.range ?? defaultRange) : undefined;
  return (
    <div
      className="flex flex-wrap items-center rounded-md border border-line-strong bg-card p-0.5"
      role="group"
      aria-label={t('time.label')}
    >
      {relativeRanges.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={chosen === range}
          title={t(`time.last.${range}`)}
          onClick={() => choose({ range })}
          className="h-6.5 rounded px-2 text-xs font-medium text-soft hover:text-ink aria-pressed:bg-fence aria-pressed:text-on-fence"
        >
          {range}
        </button>
      ))}
      <Popover.Root>
        <Popover.Trigger
          className={`flex h-6.5 items-center gap-1.5 rounded px-2 text-xs font-medium whitespace-nowrap ${chosen === undefined ? 'bg-fence text-on-fence' : 'text-soft hover:text-ink'}`}
        >
          <CalendarClock aria-hidden className="size-3.5" />
          <span className="sr-only">{t('time.between')}</span>
          {search.from === undefined
            ? null
            : `${formats.day(search.from)} – ${search.to === undefined ? t('time.now') : formats.day(search.to)}`}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content sideOffset={8} className="z-40 w-72 rounded-lg border border-line bg-card p-4 shadow-lift">
            <Between search={search} onChoose={choose} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      <span title={timeZone} className="border-l border-line px-2 text-xs text-soft">
        {formats.zone(Date.now())}
      </span>
    </div>
  );
}

interface BetweenProps {
  readonly search: TimeRangeSearch;
  readonly onChoose: (time: TimeRangeSearch) => void;
}

function Between({ search, onChoose }: BetweenProps): ReactElement {
  const { t } = useTranslation();
  const timeZone = useWorkspace()?.settings.timezone ?? 'UTC';
  const textOf = (iso: string | undefined): string => (iso === undefined ? '' : zonedText(iso, timeZone));
  const [from, setFrom] = useState(textOf(search.from));
  const [to, setTo] = useState(textOf(search.to));
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={() => {
        const toIso = to === '' ? {} : { to: zonedInstant(to, timeZone) };
        onChoose({ from: zonedInstant(from, timeZone), ...toIso });
      }}
    >
      <Field
        label={t('time.from')}
        type="datetime-local"
        required
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field
        label={t('time.to')}
        type="datetime-local"
        min={from}
        value={to}
        onChange={(event) => setTo(event.target.value)}
        hint={t('time.hint', { timeZone })}
      />
      <Button look="main" type="submit">
        {t('act.show')}
      </Button>
    </Form>
  );
}
