import { Minus, Plus, RotateCcw } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import type { Edits, Member } from './event-edits.ts';

interface EditFieldsProps {
  readonly members: readonly Member[];
  readonly edits: Edits;
  /** Members that can be added to this kind of event. */
  readonly known: readonly string[];
  readonly onChange: (edits: Edits) => void;
}

/** The members of an event as fields. Changed ones are marked and can be reset. */
export function EditFields({ members, edits, known, onChange }: EditFieldsProps): ReactElement {
  const { t } = useTranslation();
  const own = new Set(members.map(({ path }) => path));
  const added = [...edits.keys()].filter((path) => !own.has(path));
  const change = (path: string, text: string | undefined): void => onChange(new Map(edits).set(path, text));
  const reset = (path: string): void => onChange(new Map([...edits].filter(([other]) => other !== path)));
  return (
    <div className="flex flex-col gap-1">
      {[...members, ...added.map((path): Member => ({ path, value: '' }))].map(({ path, value }) => {
        const isChanged = edits.has(path);
        const text = isChanged ? edits.get(path) : String(value ?? '');
        return (
          <div
            key={path}
            className={`grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_1.75rem] items-center gap-2 rounded-md px-2 py-0.5 ${isChanged ? 'bg-warn-wash' : ''}`}
          >
            <span className="truncate font-mono text-xs text-soft" title={path}>
              {path}
            </span>
            {text === undefined ? (
              <span className="text-sm text-warn line-through">{String(value ?? '')}</span>
            ) : (
              <input
                aria-label={path}
                value={text}
                onChange={({ target }) =>
                  target.value === String(value ?? '') && own.has(path) ? reset(path) : change(path, target.value)
                }
                className={`${inputClass} h-7 w-full font-mono text-xs`}
              />
            )}
            <span className="flex justify-end">
              {isChanged ? (
                <IconButton label={t('whatIf.reset', { path })} onPress={() => reset(path)}>
                  <RotateCcw aria-hidden className="size-3.5" />
                </IconButton>
              ) : (
                <IconButton label={t('whatIf.leaveOut', { path })} onPress={() => change(path, undefined)}>
                  <Minus aria-hidden className="size-3.5" />
                </IconButton>
              )}
            </span>
          </div>
        );
      })}
      <AddField known={known.filter((path) => !own.has(path) && !edits.has(path))} onAdd={(path) => change(path, '')} />
    </div>
  );
}

function IconButton(props: {
  readonly label: string;
  readonly onPress: () => void;
  readonly children: ReactElement;
}): ReactElement {
  return (
    <button
      type="button"
      aria-label={props.label}
      title={props.label}
      onClick={props.onPress}
      className="grid size-6 place-items-center rounded text-soft hover:bg-sunken hover:text-ink"
    >
      {props.children}
    </button>
  );
}

function AddField({
  known,
  onAdd,
}: {
  readonly known: readonly string[];
  readonly onAdd: (path: string) => void;
}): ReactElement {
  const { t } = useTranslation();
  const [path, setPath] = useState('');
  if (known.length === 0) return <></>;
  return (
    <div className="flex items-center gap-2 px-2 pt-2">
      <select
        aria-label={t('whatIf.another')}
        value={path}
        onChange={({ target }) => setPath(target.value)}
        className={`${inputClass} h-7 w-56 min-w-0 font-mono text-xs`}
      >
        <option value="">{t('whatIf.another')}</option>
        {known.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <Button small disabled={path === ''} onClick={() => (onAdd(path), setPath(''))}>
        <Plus aria-hidden className="size-3.5" />
        {t('whatIf.add')}
      </Button>
    </div>
  );
}
