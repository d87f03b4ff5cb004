import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, ChevronDown, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertView as SavedView } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { isolated } from '../../language/isolated.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, inputClass } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../parts/menu.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type AlertFilters, type AlertView, readAlertFilters } from './alerts-search.ts';

interface AlertViewMenuProps {
  readonly view: Exclude<AlertView, 'suppressed'>;
  readonly filters: AlertFilters;
}

/** The views that the people of the workspace share: one click applies the filters of one. */
export function AlertViewMenu({ view, filters }: AlertViewMenuProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const navigate = useNavigate({ from: '/w/$workspace/alerts' });
  const views = useQuery(asking('listAlertViews', { params: { workspace } })).data?.items ?? [];
  const [asked, setAsked] = useState<'save' | 'manage'>();
  const shown = storedFilters(view, filters);
  const current = views.find((one) => isSame(one.filters, shown));
  const apply = ({ filters: stored }: SavedView): void => {
    const { state } = stored;
    void navigate({ search: { ...(state === 'closed' ? { view: 'closed' } : {}), ...readAlertFilters(stored) } });
  };
  return (
    <>
      <Menu
        trigger={
          <Button className="max-w-64">
            <Bookmark aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{current?.name ?? t('alerts.savedViews')}</span>
            <ChevronDown aria-hidden className="size-3.5 shrink-0 text-soft" />
          </Button>
        }
      >
        <MenuLabel>{t('alerts.savedViews')}</MenuLabel>
        {views.length === 0 ? <p className="max-w-64 px-2 py-1.5 text-xs text-soft">{t('alerts.noViews')}</p> : null}
        {views.map((one) => (
          <MenuItem key={one.id} checked={one === current} onSelect={() => apply(one)}>
            {one.name}
          </MenuItem>
        ))}
        {mayWork ? (
          <>
            <MenuLine />
            <MenuItem onSelect={() => setAsked('save')}>{t('alerts.saveView')}</MenuItem>
            {views.length === 0 ? null : (
              <MenuItem onSelect={() => setAsked('manage')}>{t('alerts.manageViews')}</MenuItem>
            )}
          </>
        ) : null}
      </Menu>
      {asked === 'save' ? <SaveView filters={shown} onClose={() => setAsked(undefined)} /> : null}
      {asked === 'manage' ? <ManageViews views={views} shown={shown} onClose={() => setAsked(undefined)} /> : null}
    </>
  );
}

type StoredFilters = SavedView['filters'];

/** As a view stores them. */
function storedFilters(view: AlertViewMenuProps['view'], filters: AlertFilters): StoredFilters {
  return {
    sort: 'queue',
    ...filters,
    state: view === 'closed' ? 'closed' : 'open',
    ...(view === 'mine' ? { assigned: 'me' } : {}),
  };
}

function isSame(one: StoredFilters, other: StoredFilters): boolean {
  const text = (filters: StoredFilters): string =>
    JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}

/** As the service accepts it. */
const nameMax = 64;

interface SaveViewProps {
  readonly filters: StoredFilters;
  readonly onClose: () => void;
}

function SaveView({ filters, onClose }: SaveViewProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [name, setName] = useState('');
  const add = useDoing('addAlertView', ['listAlertViews'], {
    done: (made) => notices.say(t('alerts.viewSaved', { name: made.name })),
  });
  return (
    <Dialog title={t('alerts.saveView')} onClose={onClose}>
      <Form
        className="flex flex-col gap-4"
        onSubmit={() => add.mutate({ params: { workspace }, body: { name, filters } }, { onSuccess: onClose })}
      >
        <Field
          label={t('alerts.viewName')}
          hint={t('alerts.viewHint')}
          required
          maxLength={nameMax}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <DialogEnd problem={add.error} onCancel={onClose}>
          <Button type="submit" look="main" busy={add.isPending}>
            {t('act.save')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

interface ManageViewsProps {
  readonly views: readonly SavedView[];
  readonly shown: StoredFilters;
  readonly onClose: () => void;
}

function ManageViews({ views, shown, onClose }: ManageViewsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Dialog title={t('alerts.manageViews')} onClose={onClose} wide>
      <ul className="flex flex-col gap-3">
        {views.map((view) => (
          <ManagedView key={view.id} view={view} shown={shown} />
        ))}
      </ul>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>{t('act.close')}</Button>
      </div>
    </Dialog>
  );
}

function ManagedView({ view, shown }: { readonly view: SavedView; readonly shown: StoredFilters }): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), view: view.id };
  const notices = useNotices();
  const [name, setName] = useState(view.name);
  const change = useDoing('changeAlertView', ['listAlertViews'], { done: () => notices.say(t('state.saved')) });
  const remove = useDoing('removeAlertView', ['listAlertViews']);
  const problem = change.error ?? remove.error;
  const label = { name: isolated(view.name) };
  return (
    <li className="flex flex-col gap-1">
      <Form className="flex flex-wrap items-center gap-2" onSubmit={() => change.mutate({ params, body: { name } })}>
        <input
          aria-label={t('alerts.viewNameOf', label)}
          required
          maxLength={nameMax}
          value={name}
          onChange={({ target }) => setName(target.value)}
          className={`${inputClass} min-w-40 grow`}
        />
        <Button type="submit" busy={change.isPending} disabled={name === view.name}>
          {t('alerts.rename')}
        </Button>
        <Button
          busy={change.isPending}
          disabled={isSame(view.filters, shown)}
          title={t('alerts.replaceFiltersHint')}
          onClick={() => change.mutate({ params, body: { filters: shown } })}
        >
          {t('alerts.replaceFilters')}
        </Button>
        <Button
          look="danger"
          aria-label={t('alerts.deleteView', label)}
          busy={remove.isPending}
          onClick={() => remove.mutate({ params })}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      </Form>
      <p className="text-xs text-soft">{t('alerts.viewBy', { name: isolated(view.changedBy) })}</p>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </li>
  );
}
