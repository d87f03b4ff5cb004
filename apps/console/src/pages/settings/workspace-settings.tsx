import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Settings } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Check, Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useCustomValidity } from '../../parts/use-custom-validity.ts';
import { useWrittenIn } from '../../parts/use-draft.ts';
import { CurrencyAmounts } from './currency-amounts.tsx';
import {
  type BusinessHours,
  codesOf,
  differingFields,
  ordinaryHours,
  type SettingsDraft,
  settingsDraft,
  settingsPatch,
  typesOf,
} from './settings-draft.ts';

/** Drafts survive navigation. */
const noChange: Partial<SettingsDraft> = {};

/** Time zone, retention and other workspace settings. Those managed by the configuration file are read-only. */
export function WorkspaceSettings(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const mayChange = useRight('administer');
  if (workspace === undefined) return <Loading rows={6} />;
  const byFile = workspace.owners.settings === 'config';
  return (
    <Panel title={t('settings.workspace')} hint={byFile ? t('integration.byFile') : undefined}>
      <WhereItLies />
      <SettingsForm key={workspace.id} kept={workspace.settings} mayChange={mayChange && !byFile} />
    </Panel>
  );
}

/** How often a move under way is asked for. */
const moveMs = 5_000;

/** The database of the workspace, if the installation has several, and its move under way. */
function WhereItLies(): ReactElement | null {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName() };
  const { data } = useQuery({
    ...asking('readWorkspace', { params }),
    refetchInterval: ({ state }) => (state.data?.move === undefined ? false : moveMs),
  });
  if (data?.database === undefined) return null;
  const { database, move } = data;
  return (
    <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
      {t('settings.database', { name: database })}
      {move === undefined ? null : <Badge tone="watch">{t(`settings.move.${move.state}`, { ...move })}</Badge>}
    </p>
  );
}

interface SettingsFormProps {
  readonly kept: Settings;
  readonly mayChange: boolean;
}

function SettingsForm({ kept, mayChange }: SettingsFormProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const client = useQueryClient();
  const [changed, setChanged] = useWrittenIn(`settings ${workspace}`, noChange);
  const before = settingsDraft(kept);
  const draft = { ...before, ...changed };
  const change = useDoing('changeWorkspace', ['readWorkspace'], {
    done: (answer, { params }) => {
      client.setQueryData(asking('readWorkspace', { params }).queryKey, answer);
      setChanged(noChange);
      notices.say(t('state.saved'));
    },
  });
  const put = (part: Partial<SettingsDraft>): void =>
    setChanged(differingFields(before, { ...changed, ...part }) ?? noChange);
  return (
    <Form
      className="grid grid-cols-1 gap-4 sm:grid-cols-2"
      onSubmit={() => change.mutate({ params: { workspace }, body: { settings: settingsPatch(before, changed) } })}
    >
      <fieldset disabled={!mayChange} className="contents">
        <GeneralFields draft={draft} put={put} />
        <AlertFields draft={draft} put={put} />
        <HoldFields draft={draft} put={put} />
        <OutcomeFields draft={draft} put={put} />
      </fieldset>
      <div className="col-span-full flex flex-col gap-3">
        {change.error === null ? null : <ProblemNote problem={change.error} />}
        {mayChange ? (
          <div className="flex justify-end gap-2">
            {changed === noChange ? null : (
              <Button look="quiet" onClick={() => setChanged(noChange)}>
                {t('act.takeBack')}
              </Button>
            )}
            <Button look="main" type="submit" busy={change.isPending} disabled={changed === noChange}>
              {t('act.save')}
            </Button>
          </div>
        ) : (
          <p className="text-xs text-soft">{t('settings.readOnly')}</p>
        )}
      </div>
    </Form>
  );
}

interface FieldsProps {
  readonly draft: SettingsDraft;
  readonly put: (part: Partial<SettingsDraft>) => void;
}

function GeneralFields({ draft, put }: FieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Choice
        label={t('settings.timezone')}
        value={draft.timezone}
        onChange={(event) => put({ timezone: event.target.value })}
        options={['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))}
      />
      <Choice
        label={t('settings.cards')}
        value={draft.cards}
        onChange={(event) => put({ cards: event.target.value === 'refuse' ? 'refuse' : 'mask' })}
        options={(['mask', 'refuse'] as const).map((value) => ({ value, label: t(`settings.cardsChoice.${value}`) }))}
      />
      <Field
        label={t('settings.keepEvents')}
        hint={t('settings.keepHint')}
        pattern="[1-9]\d*d|forever"
        value={draft.keepEvents}
        onChange={(event) => put({ keepEvents: event.target.value })}
      />
      <Field
        label={t('settings.keepActions')}
        hint={t('settings.keepHint')}
        pattern="[1-9]\d*d|forever"
        value={draft.keepActions}
        onChange={(event) => put({ keepActions: event.target.value })}
      />
      <Field
        label={t('settings.grace')}
        hint={t('settings.graceHint')}
        type="number"
        min={0}
        max={60}
        value={draft.sessionGraceSeconds}
        onChange={(event) => put({ sessionGraceSeconds: event.target.valueAsNumber })}
      />
      <Field
        label={t('settings.block')}
        hint={t('settings.blockHint')}
        type="number"
        min={1}
        max={8760}
        value={draft.blockHours}
        onChange={(event) => put({ blockHours: event.target.valueAsNumber })}
      />
      <Field
        label={t('settings.lagMax')}
        hint={t('settings.lagMaxHint')}
        type="number"
        min={5}
        max={3600}
        value={draft.lagMax ?? ''}
        onChange={({ target }) => put({ lagMax: target.value === '' ? null : target.valueAsNumber })}
      />
      <Check
        label={t('settings.fourEyes')}
        checked={draft.fourEyes}
        onChange={(event) => put({ fourEyes: event.target.checked })}
      />
    </>
  );
}

/** As the service accepts it: a week. */
const dueMinutesMax = 10_080;

function AlertFields({ draft, put }: FieldsProps): ReactElement {
  const { t } = useTranslation();
  const { businessHours: hours } = draft;
  return (
    <>
      <h3 className={partClass}>{t('settings.alerts')}</h3>
      <Field
        label={t('settings.dueMinutes')}
        hint={t('settings.dueMinutesHint')}
        type="number"
        min={1}
        max={dueMinutesMax}
        value={draft.dueMinutes ?? ''}
        onChange={({ target }) => put({ dueMinutes: target.value === '' ? null : target.valueAsNumber })}
      />
      <Check
        label={t('settings.businessHours')}
        hint={t('settings.businessHoursHint', { zone: draft.timezone })}
        checked={hours !== null}
        onChange={({ target }) => put({ businessHours: target.checked ? ordinaryHours : null })}
      />
      {hours === null ? null : <BusinessHoursFields hours={hours} put={(businessHours) => put({ businessHours })} />}
    </>
  );
}

interface BusinessHoursFieldsProps {
  readonly hours: BusinessHours;
  readonly put: (hours: BusinessHours) => void;
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** As the service accepts it. */
const clockPattern = '([01]\\d|2[0-3]):[0-5]\\d|24:00';

function BusinessHoursFields({ hours, put }: BusinessHoursFieldsProps): ReactElement {
  const { t } = useTranslation();
  const { days } = hours;
  const toggle = (day: (typeof weekdays)[number]): void =>
    put({ ...hours, days: weekdays.filter((one) => (one === day) !== days.includes(one)) });
  return (
    <>
      <fieldset className="col-span-full flex flex-wrap gap-x-4 gap-y-2">
        <legend className="mb-1 text-xs font-medium text-soft">{t('settings.days')}</legend>
        {weekdays.map((day) => (
          <label key={day} className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-fence"
              checked={days.includes(day)}
              // One day at least.
              required={days.length === 0}
              onChange={() => toggle(day)}
            />
            {t(`settings.weekday.${day}`)}
          </label>
        ))}
      </fieldset>
      {(['from', 'to'] as const).map((end) => (
        <Field
          key={end}
          label={t(`settings.open.${end}`)}
          hint={t('settings.clockHint')}
          required
          pattern={clockPattern}
          value={hours[end]}
          onChange={({ target }) => put({ ...hours, [end]: target.value })}
        />
      ))}
    </>
  );
}

function HoldFields({ draft, put }: FieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <h3 className={partClass}>{t('settings.holds')}</h3>
      <CurrencyAmounts
        label={t('settings.secondAbove')}
        hint={t('settings.secondAboveHint')}
        value={draft.secondAbove}
        onChange={(secondAbove) => put({ secondAbove })}
      />
      <Field
        label={t('settings.heldAgain')}
        hint={t('settings.heldAgainHint')}
        type="number"
        required
        min={0}
        max={720}
        value={draft.heldAgainHours}
        onChange={(event) => put({ heldAgainHours: event.target.valueAsNumber })}
      />
    </>
  );
}

/** As the service accepts them. */
const [codesMax, codeLengthMax, typesMax, typeNameMax] = [200, 64, 100, 100];
const typeCode = /^[\w.-]{1,64}$/;

function OutcomeFields({ draft, put }: FieldsProps): ReactElement {
  const { t } = useTranslation();
  const codes = codesOf(draft.fraudCodes);
  const types = typesOf(draft.fraudTypes);
  const tooMany = codes.length > codesMax ? t('settings.fraudCodesMany') : '';
  const tooLong = codes.some((code) => code.length > codeLengthMax) ? t('settings.fraudCodesLong') : '';
  const areTypes = types.every(({ code, name }) => typeCode.test(code) && name !== '' && name.length <= typeNameMax);
  return (
    <>
      <h3 className={partClass}>{t('settings.outcomes')}</h3>
      <Check
        label={t('settings.keyMayLabel')}
        hint={t('settings.keyMayLabelHint')}
        checked={draft.keyMayLabel}
        onChange={(event) => put({ keyMayLabel: event.target.checked })}
      />
      <Lines
        label={t('settings.fraudCodes')}
        hint={t('settings.fraudCodesHint')}
        wrong={tooMany || tooLong}
        value={draft.fraudCodes}
        onChange={(fraudCodes) => put({ fraudCodes })}
      />
      <Lines
        label={t('settings.fraudTypes')}
        hint={t('settings.fraudTypesHint')}
        wrong={areTypes && types.length <= typesMax ? '' : t('settings.fraudTypesWrong')}
        value={draft.fraudTypes}
        onChange={(fraudTypes) => put({ fraudTypes })}
      />
    </>
  );
}

interface LinesProps {
  readonly label: string;
  readonly hint: string;
  /** Why it cannot be saved; empty if it can. */
  readonly wrong: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A list with one item on each line. */
function Lines({ label, hint, wrong, value, onChange }: LinesProps): ReactElement {
  const id = useId();
  const field = useCustomValidity<HTMLTextAreaElement>(wrong);
  return (
    <div className="col-span-full flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium text-soft">
        {label}
      </label>
      <textarea
        id={id}
        ref={field}
        aria-describedby={`${id}-hint`}
        rows={5}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-card p-2 font-mono text-xs hover:border-soft disabled:opacity-60"
      />
      <p id={`${id}-hint`} className="text-xs text-soft">
        {hint}
      </p>
    </div>
  );
}

/** The heading of a part of the form. */
const partClass = 'col-span-full border-t border-line pt-4 text-sm font-semibold';
