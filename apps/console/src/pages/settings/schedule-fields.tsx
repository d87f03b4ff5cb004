import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { NotificationChoice } from '../../api/operations.generated.ts';
import { Check, Choice, Field } from '../../parts/field.tsx';

export type Schedule = Pick<NotificationChoice, 'digestMinutes' | 'quietHours'>;

interface ScheduleFieldsProps {
  readonly value: Schedule;
  readonly onChange: (value: Schedule) => void;
  readonly disabled?: boolean;
}

const night = { from: '22:00', to: '07:00' };

/** When messages are sent: digest and quiet hours. */
export function ScheduleFields({ value, onChange, disabled = false }: ScheduleFieldsProps): ReactElement {
  const { t } = useTranslation();
  const { digestMinutes, quietHours } = value;
  const put = (change: Partial<NonNullable<Schedule['quietHours']>>): void =>
    onChange({ digestMinutes, quietHours: { ...quietHours!, ...change } });
  const toggle = (): void =>
    onChange(
      quietHours === undefined
        ? { digestMinutes, quietHours: { ...night, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone } }
        : { digestMinutes },
    );
  return (
    <>
      <Field
        label={t('notifications.digest')}
        hint={t('notifications.digestHint')}
        type="number"
        min={0}
        max={1_440}
        required
        disabled={disabled}
        value={String(digestMinutes)}
        onChange={({ target }) => onChange({ ...value, digestMinutes: Number(target.value) })}
      />
      <Check
        label={t('notifications.quiet')}
        hint={t('notifications.quietHint')}
        disabled={disabled}
        checked={quietHours !== undefined}
        onChange={toggle}
      />
      {quietHours === undefined ? null : (
        <div className="grid grid-cols-[1fr_1fr_2fr] gap-3">
          <Field
            label={t('notifications.from')}
            type="time"
            required
            value={quietHours.from}
            onChange={({ target }) => put({ from: target.value })}
          />
          <Field
            label={t('notifications.until')}
            type="time"
            required
            value={quietHours.to}
            onChange={({ target }) => put({ to: target.value })}
          />
          <Choice
            label={t('notifications.timezone')}
            value={quietHours.timezone}
            options={['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))}
            onChange={({ target }) => put({ timezone: target.value })}
          />
        </div>
      )}
    </>
  );
}
