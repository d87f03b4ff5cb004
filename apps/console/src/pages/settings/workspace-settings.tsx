import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Settings } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useWrittenIn } from '../../parts/use-draft.ts';

type Own = Pick<
  Settings,
  'timezone' | 'sessionGraceSeconds' | 'blockHours' | 'keepEvents' | 'keepActions' | 'cards' | 'fourEyes'
> & {
  /** `null`: off. */
  readonly lagMax?: number | null;
};

/** Drafts survive navigation. Only changed fields are sent, so concurrent changes of other fields are kept. */
const noChange: Partial<Own> = {};

/** Time zone, retention and other workspace settings. Those managed by the configuration file are read-only. */
export function WorkspaceSettings(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const mayChange = useRight('administer');
  if (workspace === undefined) return <Loading rows={6} />;
  const byFile = workspace.owners.settings === 'config';
  return (
    <Panel title={t('settings.workspace')} hint={byFile ? t('integration.byFile') : undefined}>
      <SettingsForm key={workspace.id} kept={workspace.settings} mayChange={mayChange && !byFile} />
    </Panel>
  );
}

function SettingsForm({ kept, mayChange }: { readonly kept: Own; readonly mayChange: boolean }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const client = useQueryClient();
  const [changed, setChanged] = useWrittenIn(`settings ${workspace}`, noChange);
  const before: Own = { fourEyes: false, lagMax: null, ...kept };
  const own = { ...before, ...changed };
  const change = useDoing('changeWorkspace', ['readWorkspace'], {
    done: (answer, { params }) => {
      client.setQueryData(asking('readWorkspace', { params }).queryKey, answer);
      setChanged(noChange);
      notices.say(t('state.saved'));
    },
  });
  const put = (part: Partial<Own>): void => {
    const differing = Object.entries({ ...changed, ...part }).filter(
      ([name, value]) => value !== before[name as keyof Own],
    );
    setChanged(differing.length === 0 ? noChange : Object.fromEntries(differing));
  };
  return (
    <Form
      className="grid grid-cols-1 gap-4 sm:grid-cols-2"
      onSubmit={() => change.mutate({ params: { workspace }, body: { settings: changed } })}
    >
      <SettingsFields own={own} put={put} mayChange={mayChange} />
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

interface SettingsFieldsProps {
  readonly own: Own;
  readonly put: (part: Partial<Own>) => void;
  readonly mayChange: boolean;
}

function SettingsFields({ own, put, mayChange }: SettingsFieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <fieldset disabled={!mayChange} className="contents">
      <Choice
        label={t('settings.timezone')}
        value={own.timezone}
        onChange={(event) => put({ timezone: event.target.value })}
        options={['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))}
      />
      <Choice
        label={t('settings.cards')}
        value={own.cards}
        onChange={(event) => put({ cards: event.target.value === 'refuse' ? 'refuse' : 'mask' })}
        options={(['mask', 'refuse'] as const).map((value) => ({ value, label: t(`settings.cardsChoice.${value}`) }))}
      />
      <Field
        label={t('settings.keepEvents')}
        hint={t('settings.keepHint')}
        pattern="[1-9]\d*d|forever"
        value={own.keepEvents}
        onChange={(event) => put({ keepEvents: event.target.value })}
      />
      <Field
        label={t('settings.keepActions')}
        hint={t('settings.keepHint')}
        pattern="[1-9]\d*d|forever"
        value={own.keepActions}
        onChange={(event) => put({ keepActions: event.target.value })}
      />
      <Field
        label={t('settings.grace')}
        hint={t('settings.graceHint')}
        type="number"
        min={0}
        max={60}
        value={own.sessionGraceSeconds}
        onChange={(event) => put({ sessionGraceSeconds: event.target.valueAsNumber })}
      />
      <Field
        label={t('settings.block')}
        hint={t('settings.blockHint')}
        type="number"
        min={1}
        max={8760}
        value={own.blockHours}
        onChange={(event) => put({ blockHours: event.target.valueAsNumber })}
      />
      <Field
        label={t('settings.lagMax')}
        hint={t('settings.lagMaxHint')}
        type="number"
        min={5}
        max={3600}
        value={own.lagMax ?? ''}
        onChange={({ target }) => put({ lagMax: target.value === '' ? null : target.valueAsNumber })}
      />
      <label className="col-span-full flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-fence"
          checked={own.fourEyes === true}
          onChange={(event) => put({ fourEyes: event.target.checked })}
        />
        {t('settings.fourEyes')}
      </label>
    </fieldset>
  );
}
