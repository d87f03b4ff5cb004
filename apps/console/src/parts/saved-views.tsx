import { useQuery } from '@tanstack/react-query';
import { Bookmark, ChevronDown, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../api/use-api.ts';
import { useRight, useWorkspaceName } from '../api/use-workspace.ts';
import { isolated } from '../language/isolated.ts';
import { Button } from './button.tsx';
import { DialogEnd } from './dialog-end.tsx';
import { Dialog } from './dialog.tsx';
import { Field, inputClass } from './field.tsx';
import { Form } from './form.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from './menu.tsx';
import { useNotices } from './notices.tsx';
import { ProblemNote } from './problem-note.tsx';
/** The operations on the views of one list. Those of all lists have one shape, apart from the filters. */
const operations = {
  alerts: { list: 'listAlertViews', add: 'addAlertView', change: 'changeAlertView', remove: 'removeAlertView' },
  events: { list: 'listEventViews', add: 'addEventView', change: 'changeEventView', remove: 'removeEventView' },
} as const;
type ViewedList = keyof typeof operations;
type AlertOperations = (typeof operations)['alerts'];

function operationsOf(list: ViewedList): AlertOperations {
  return operations[list] as AlertOperations;
}

/** Filters as the service stores them. */
type StoredFilters = Readonly<Record<string, string | number | boolean>>;

interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly filters: object;
  readonly changedBy: string;
}

interface SavedViewsProps {
  readonly list: ViewedList;
  /** What the list shows. */
  readonly shown: StoredFilters;
  /** Why what it shows cannot be stored. */
  readonly refusal?: string | undefined;
  readonly onApply: (filters: StoredFilters) => void;
}

/** The views that the people of the workspace share: one click applies the filters of one. */
export function SavedViews({ list, shown, refusal, onApply }: SavedViewsProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const views = useQuery(asking(operationsOf(list).list, { params: { workspace } })).data?.items ?? [];
  const [asked, setAsked] = useState<'save' | 'manage'>();
  const current = views.find((one) => isSame(one.filters, shown));
  return (
    <>
      <Menu
        trigger={
          <Button className="max-w-64">
            <Bookmark aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{current?.name ?? t('views.title')}</span>
            <ChevronDown aria-hidden className="size-3.5 shrink-0 text-soft" />
          </Button>
        }
      >
        <MenuLabel>{t('views.title')}</MenuLabel>
        {views.length === 0 ? <p className="max-w-64 px-2 py-1.5 text-xs text-soft">{t('views.none')}</p> : null}
        {views.map((one) => (
          <MenuItem key={one.id} checked={one === current} onSelect={() => onApply(one.filters)}>
            {one.name}
          </MenuItem>
        ))}
        {mayWork ? (
          <>
            <MenuLine />
            {refusal === undefined ? (
              <MenuItem onSelect={() => setAsked('save')}>{t('views.save')}</MenuItem>
            ) : (
              <p className="max-w-64 px-2 py-1.5 text-xs text-soft">{refusal}</p>
            )}
            {views.length === 0 ? null : <MenuItem onSelect={() => setAsked('manage')}>{t('views.manage')}</MenuItem>}
          </>
        ) : null}
      </Menu>
      {asked === 'save' ? <SaveView list={list} filters={shown} onClose={() => setAsked(undefined)} /> : null}
      {asked === 'manage' ? (
        <ManageViews list={list} views={views} {...{ shown, refusal }} onClose={() => setAsked(undefined)} />
      ) : null}
    </>
  );
}

function isSame(one: object, other: object): boolean {
  const text = (filters: object): string =>
    JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}

/** As the service accepts it. */
const nameMax = 64;

interface SaveViewProps {
  readonly list: ViewedList;
  readonly filters: StoredFilters;
  readonly onClose: () => void;
}

function SaveView({ list, filters, onClose }: SaveViewProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [name, setName] = useState('');
  const operation = operationsOf(list);
  const add = useDoing(operation.add, [operation.list], {
    done: (made) => notices.say(t('views.saved', { name: made.name })),
  });
  return (
    <Dialog title={t('views.save')} onClose={onClose}>
      <Form
        className="flex flex-col gap-4"
        onSubmit={() => add.mutate({ params: { workspace }, body: { name, filters } }, { onSuccess: onClose })}
      >
        <Field
          label={t('views.name')}
          hint={t('views.nameHint')}
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

interface ManageViewsProps extends Pick<SavedViewsProps, 'list' | 'shown' | 'refusal'> {
  readonly views: readonly SavedView[];
  readonly onClose: () => void;
}

function ManageViews({ views, onClose, ...rest }: ManageViewsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Dialog title={t('views.manage')} onClose={onClose} wide>
      <ul className="flex flex-col gap-3">
        {views.map((view) => (
          <ManagedView key={view.id} view={view} {...rest} />
        ))}
      </ul>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>{t('act.close')}</Button>
      </div>
    </Dialog>
  );
}

interface ManagedViewProps extends Pick<SavedViewsProps, 'list' | 'shown' | 'refusal'> {
  readonly view: SavedView;
}

function ManagedView({ list, view, shown, refusal }: ManagedViewProps): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), view: view.id };
  const notices = useNotices();
  const [name, setName] = useState(view.name);
  const operation = operationsOf(list);
  const change = useDoing(operation.change, [operation.list], { done: () => notices.say(t('state.saved')) });
  const remove = useDoing(operation.remove, [operation.list]);
  const problem = change.error ?? remove.error;
  const label = { name: isolated(view.name) };
  return (
    <li className="flex flex-col gap-1">
      <Form className="flex flex-wrap items-center gap-2" onSubmit={() => change.mutate({ params, body: { name } })}>
        <input
          aria-label={t('views.nameOf', label)}
          required
          maxLength={nameMax}
          value={name}
          onChange={({ target }) => setName(target.value)}
          className={`${inputClass} min-w-40 grow`}
        />
        <Button type="submit" busy={change.isPending} disabled={name === view.name}>
          {t('views.rename')}
        </Button>
        <Button
          busy={change.isPending}
          disabled={refusal !== undefined || isSame(view.filters, shown)}
          title={t('views.replaceHint')}
          onClick={() => change.mutate({ params, body: { filters: shown } })}
        >
          {t('views.replace')}
        </Button>
        <Button
          look="danger"
          aria-label={t('views.remove', label)}
          busy={remove.isPending}
          onClick={() => remove.mutate({ params })}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      </Form>
      <p className="text-xs text-soft">{t('views.by', { name: isolated(view.changedBy) })}</p>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </li>
  );
}
