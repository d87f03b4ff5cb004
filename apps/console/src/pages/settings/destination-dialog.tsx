import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NotificationDestination } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Check, Choice, Field, inputClass } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import {
  addressOf,
  type DestinationDraft,
  destinationDraft,
  type EventName,
  eventNames,
  settingsOf,
  thresholds,
} from './destination-draft.ts';
import { ScheduleFields } from './schedule-fields.tsx';

const kinds = ['slack', 'teams', 'email', 'http'] as const;

interface DestinationDialogProps {
  /** Left out for a new one. */
  readonly of?: NotificationDestination;
  readonly hasMail: boolean;
  readonly onClose: () => void;
}

/** Adds or changes a destination, and shows the secret of a new one once. */
export function DestinationDialog({ of, hasMail, onClose }: DestinationDialogProps): ReactElement {
  const { t, i18n } = useTranslation();
  const workspace = useWorkspaceName();
  const [draft, setDraft] = useState(() => destinationDraft(of, i18n.language));
  const create = useDoing('createNotificationDestination', ['listNotificationDestinations']);
  const change = useDoing('changeNotificationDestination', ['listNotificationDestinations']);
  const secret = create.data?.signingSecret;
  const save = (): void => {
    const body = { name: draft.name, ...addressOf(draft), settings: settingsOf(draft, of?.settings) };
    if (of !== undefined) {
      change.mutate({ params: { workspace, destination: of.id }, body }, { onSuccess: onClose });
      return;
    }
    const onSuccess = ({ signingSecret }: { readonly signingSecret?: string }): void => {
      if (signingSecret === undefined) onClose();
    };
    create.mutate({ params: { workspace }, body: { ...body, kind: draft.kind } }, { onSuccess });
  };
  return (
    <Dialog title={t(of === undefined ? 'notifications.add' : 'notifications.change')} wide onClose={onClose}>
      {secret === undefined ? (
        <Form className="flex max-h-[75vh] flex-col gap-4 overflow-y-auto px-0.5" onSubmit={save}>
          <PlaceFields of={of} draft={draft} hasMail={hasMail} onChange={setDraft} />
          <EventFields draft={draft} onChange={setDraft} />
          <ScheduleFields
            value={draft}
            onChange={({ digestMinutes, quietHours }) => {
              const { quietHours: _, ...rest } = draft;
              setDraft({ ...rest, digestMinutes, ...(quietHours === undefined ? {} : { quietHours }) });
            }}
          />
          <Check
            label={t('notifications.recovery')}
            checked={draft.recovery}
            onChange={({ target }) => setDraft({ ...draft, recovery: target.checked })}
          />
          <Check
            label={t('notifications.showPersonal')}
            hint={t('notifications.showPersonalHint')}
            checked={draft.showPersonal}
            onChange={({ target }) => setDraft({ ...draft, showPersonal: target.checked })}
          />
          <DialogEnd onCancel={onClose} problem={create.error ?? change.error}>
            <Button
              look="main"
              type="submit"
              busy={create.isPending || change.isPending}
              disabled={Object.keys(draft.events).length === 0}
            >
              {t('act.save')}
            </Button>
          </DialogEnd>
        </Form>
      ) : (
        <div className="flex flex-col gap-3 text-sm">
          <p className="text-soft">{t('notifications.secretOnce')}</p>
          <CodeBlock label={draft.name} wrap text={secret} />
        </div>
      )}
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: DestinationDraft;
  readonly onChange: (draft: DestinationDraft) => void;
}

/** Where it goes, and in which language. */
function PlaceFields({
  of,
  draft,
  hasMail,
  onChange,
}: FieldsProps & { readonly of: NotificationDestination | undefined; readonly hasMail: boolean }): ReactElement {
  const { t } = useTranslation();
  const isNew = of === undefined;
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      <Field
        label={t('notifications.name')}
        required
        value={draft.name}
        onChange={({ target }) => onChange({ ...draft, name: target.value })}
      />
      <Choice
        label={t('notifications.kindLabel')}
        disabled={!isNew}
        value={draft.kind}
        options={kinds
          .filter((kind) => kind !== 'email' || hasMail || !isNew)
          .map((kind) => ({ value: kind, label: t(`notifications.kind.${kind}`) }))}
        onChange={({ target }) => onChange({ ...draft, kind: target.value as DestinationDraft['kind'] })}
      />
      <Choice
        label={t('notifications.language')}
        value={draft.language}
        options={[
          { value: 'en', label: 'English' },
          { value: 'es', label: 'Español' },
        ]}
        onChange={({ target }) => onChange({ ...draft, language: target.value as DestinationDraft['language'] })}
      />
      <Field
        className="sm:col-span-3"
        label={t(`notifications.address.${draft.kind}`)}
        hint={
          isNew
            ? hasMail
              ? undefined
              : t('notifications.noMail')
            : t('notifications.addressKept', { address: of.address })
        }
        mono
        required={isNew}
        type={draft.kind === 'email' ? 'text' : 'url'}
        autoComplete="off"
        value={draft.address}
        onChange={({ target }) => onChange({ ...draft, address: target.value })}
      />
    </div>
  );
}

/** The events that notify it, with the thresholds of the chosen ones. */
function EventFields({ draft, onChange }: FieldsProps): ReactElement {
  const { t } = useTranslation();
  const { events } = draft;
  const toggle = (event: EventName): void => {
    const { [event]: present, ...others } = events;
    onChange({ ...draft, events: present === undefined ? { ...events, [event]: thresholds[event] } : others });
  };
  const put = (event: EventName, change: Readonly<Record<string, string>>): void =>
    onChange({ ...draft, events: { ...events, [event]: { ...events[event], ...change } } });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-soft">{t('notifications.events')}</legend>
      {eventNames.map((event) => (
        <div key={event} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Check
            label={t(`notifications.event.${event}`)}
            checked={events[event] !== undefined}
            onChange={() => toggle(event)}
          />
          {Object.entries(events[event] ?? {}).map(([name, value]) => (
            <Threshold
              key={name}
              name={name as ThresholdName}
              required={!optional.has(event)}
              value={value}
              onChange={(typed) => put(event, { [name]: typed })}
            />
          ))}
        </div>
      ))}
      {Object.keys(events).length === 0 ? <p className="text-xs text-bad">{t('notifications.atLeastOne')}</p> : null}
    </fieldset>
  );
}

/** Events whose thresholds may be left out. */
const optional: ReadonlySet<EventName> = new Set(['alert', 'queueAge']);

interface ThresholdProps {
  readonly name: ThresholdName;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (typed: string) => void;
}

/** One value of an event, with its name on its right. */
function Threshold({ name, required, value, onChange }: ThresholdProps): ReactElement {
  const { t } = useTranslation();
  const label = name === 'minutes' && !required ? 'minutesOrDue' : name;
  const shared = {
    value,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <label className="flex items-center gap-1.5 text-xs text-soft">
      {name === 'window' ? (
        <select className={inputClass} {...shared}>
          {(['5m', '1h'] as const).map((window) => (
            <option key={window} value={window}>
              {t(`notifications.window.${window}`)}
            </option>
          ))}
        </select>
      ) : (
        <input
          className={`${inputClass} w-24`}
          type={name === 'currency' ? 'text' : 'number'}
          min={0}
          pattern={name === 'currency' ? '[A-Z]{3}' : undefined}
          required={required}
          {...shared}
        />
      )}
      {t(`notifications.threshold.${label}`)}
    </label>
  );
}

type ThresholdName =
  | 'amount'
  | 'currency'
  | 'factor'
  | 'hundredths'
  | 'minimum'
  | 'minutes'
  | 'notExecutedPercent'
  | 'risk'
  | 'seconds'
  | 'window';
