import { Plus, Trash2 } from 'lucide-react';
import { type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { classNames } from '../../parts/class-names.ts';
import { inputClass } from '../../parts/field.tsx';
import {
  type BuilderCondition,
  type BuilderGroup,
  type BuilderOperator,
  builderOperators,
  type BuilderRow,
  isGroup,
  type Joined,
  otherwise,
} from './builder-condition.ts';
import { type BuilderWords, fittingLists, suggestedValues } from './builder-words.ts';
import type { ConditionMistakes, RowMistake } from './condition-mistakes.ts';

/** Initial values of a new row. */
export const firstRow: BuilderRow = { fact: 'order.amount', operator: '>', value: '0' };

interface ConditionRowsProps {
  /** The beginning of the sentence: `The rule fires when`. */
  readonly label: string;
  /** Shown in place of the sentence while there are no rows. */
  readonly none?: string;
  readonly condition: BuilderCondition;
  readonly words: BuilderWords;
  readonly mistakes: ConditionMistakes;
  readonly onChange: (condition: BuilderCondition) => void;
  /** Further buttons below the rows. */
  readonly children?: ReactNode;
}

/** One test per row, joined by "all" or "at least one"; groups of rows are joined the other way. */
export function ConditionRows(props: ConditionRowsProps): ReactElement {
  const { t } = useTranslation();
  const { label, none, condition, words, mistakes, onChange, children } = props;
  const { joined, parts } = condition;
  const put = (at: number, part: BuilderRow | BuilderGroup): void => onChange({ joined, parts: parts.with(at, part) });
  const [isAdding, setAdding] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (part: BuilderRow | BuilderGroup): void => {
    setAdding(true);
    onChange({ joined, parts: [...parts, part] });
  };
  const remove = (at: number): void => {
    addButton.current?.focus();
    onChange({ joined, parts: parts.toSpliced(at, 1) });
  };
  return (
    <div className="flex flex-col gap-2">
      {none !== undefined && parts.length === 0 ? (
        <p className="text-soft">{none}</p>
      ) : (
        <JoinedChoice label={label} joined={joined} onChange={(one) => onChange({ joined: one, parts })} />
      )}
      <ul className="flex flex-col gap-2 empty:hidden">
        {parts.map((part, at) =>
          isGroup(part) ? (
            <GroupFields
              key={at}
              at={at}
              group={part}
              joined={otherwise(joined)}
              words={words}
              mistakes={mistakes}
              isAdding={isAdding}
              onChange={(group) => put(at, group)}
              onRemove={() => remove(at)}
            />
          ) : (
            <RowFields
              key={at}
              row={part}
              words={words}
              mistake={mistakes.rows.get(`${at}`)}
              isNew={isAdding}
              onChange={(row) => put(at, row)}
              onRemove={() => remove(at)}
            />
          ),
        )}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button ref={addButton} small onClick={() => add(firstRow)}>
          <Plus aria-hidden className="size-3.5" />
          {t('policy.addRow')}
        </Button>
        <Button small onClick={() => add({ rows: [firstRow] })}>
          <Plus aria-hidden className="size-3.5" />
          {t('builder.addGroup')}
        </Button>
        {children}
      </div>
    </div>
  );
}

interface JoinedChoiceProps {
  readonly label: string;
  readonly joined: Joined;
  readonly onChange: (joined: Joined) => void;
}

function JoinedChoice({ label, joined, onChange }: JoinedChoiceProps): ReactElement {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label htmlFor={id} className="text-soft">
        {label}
      </label>
      <select
        id={id}
        value={joined}
        onChange={({ target }) => onChange(target.value === 'any' ? 'any' : 'all')}
        className={inputClass}
      >
        <option value="all">{t('builder.joined.all')}</option>
        <option value="any">{t('builder.joined.any')}</option>
      </select>
    </div>
  );
}

interface GroupFieldsProps {
  readonly at: number;
  readonly group: BuilderGroup;
  readonly joined: Joined;
  readonly words: BuilderWords;
  readonly mistakes: ConditionMistakes;
  readonly isAdding: boolean;
  readonly onChange: (group: BuilderGroup) => void;
  readonly onRemove: () => void;
}

function GroupFields({
  at,
  group,
  joined,
  words,
  mistakes,
  isAdding,
  onChange,
  onRemove,
}: GroupFieldsProps): ReactElement {
  const { t } = useTranslation();
  const id = useId();
  const { rows } = group;
  const addButton = useRef<HTMLButtonElement>(null);
  const removeRow = (inside: number): void => {
    if (rows.length === 1) {
      onRemove();
      return;
    }
    addButton.current?.focus();
    onChange({ rows: rows.toSpliced(inside, 1) });
  };
  return (
    <li>
      <div
        role="group"
        aria-labelledby={id}
        className="flex flex-col gap-2 rounded-md border border-line border-l-4 border-l-fence bg-sunken p-2"
      >
        <div className="flex items-center">
          <span id={id} className="grow text-soft">
            {t(`builder.group.${joined}`)}
          </span>
          <Button look="quiet" small aria-label={t('builder.removeGroup')} onClick={onRemove}>
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
        <ul className="flex flex-col gap-2">
          {rows.map((row, inside) => (
            <RowFields
              key={inside}
              row={row}
              words={words}
              mistake={mistakes.rows.get(`${at}.${inside}`)}
              isNew={isAdding}
              onChange={(next) => onChange({ rows: rows.with(inside, next) })}
              onRemove={() => removeRow(inside)}
            />
          ))}
        </ul>
        <Button ref={addButton} small className="self-start" onClick={() => onChange({ rows: [...rows, firstRow] })}>
          <Plus aria-hidden className="size-3.5" />
          {t('builder.addToGroup')}
        </Button>
      </div>
    </li>
  );
}

interface RowFieldsProps {
  readonly row: BuilderRow;
  readonly words: BuilderWords;
  readonly mistake: RowMistake | undefined;
  /** It was added by a person, who goes on in its first field. */
  readonly isNew: boolean;
  readonly onChange: (row: BuilderRow) => void;
  readonly onRemove: () => void;
}

function RowFields({ row, words, mistake, isNew, onChange, onRemove }: RowFieldsProps): ReactElement {
  const { t } = useTranslation();
  const id = useId();
  const described = (field: RowMistake['field']): object =>
    mistake?.field === field ? { 'aria-invalid': true, 'aria-describedby': `${id}-mistake` } : {};
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_10rem_minmax(0,14rem)_auto] gap-2">
      <FactField
        fact={row.fact}
        words={words}
        isNew={isNew}
        attributes={described('fact')}
        onChange={(fact) => onChange({ ...row, fact })}
      />
      <select
        aria-label={t('policy.operator')}
        value={row.operator}
        onChange={({ target }) => onChange(withOperator(row, target.value as BuilderOperator, words))}
        className={`${inputClass} w-full`}
      >
        {builderOperators.map((operator) => (
          <option key={operator} value={operator}>
            {isWord(operator) ? t(`builder.operator.${operator}`) : operator}
          </option>
        ))}
      </select>
      <div>
        <ValueField row={row} words={words} attributes={described('value')} onChange={onChange} />
      </div>
      <Button look="quiet" className="px-2" aria-label={t('policy.removeRow')} onClick={onRemove}>
        <Trash2 aria-hidden className="size-4" />
      </Button>
      {mistake === undefined ? null : (
        <p id={`${id}-mistake`} className="col-span-full text-xs text-bad">
          {mistake.text ?? t(`builder.empty.${emptyOf(row, mistake)}`)}
        </p>
      )}
    </li>
  );
}

const wordOperators = ['in', 'notIn', 'missing', 'present'] as const;

function isWord(operator: BuilderOperator): operator is (typeof wordOperators)[number] {
  return wordOperators.some((word) => word === operator);
}

function isOfList({ operator }: BuilderRow): boolean {
  return operator === 'in' || operator === 'notIn';
}

/** A list is not a value, and a value no list. */
function withOperator(row: BuilderRow, operator: BuilderOperator, known: BuilderWords): BuilderRow {
  const next = { ...row, operator };
  if (isOfList(next) === isOfList(row)) return next;
  return { ...next, value: isOfList(next) ? (fittingLists(row.fact, known)[0]?.name ?? '') : '' };
}

function emptyOf(row: BuilderRow, { field }: RowMistake): 'fact' | 'value' | 'list' {
  return field === 'value' && isOfList(row) ? 'list' : field;
}

interface FactFieldProps {
  readonly fact: string;
  readonly words: BuilderWords;
  readonly isNew: boolean;
  readonly attributes: object;
  readonly onChange: (fact: string) => void;
}

function FactField({ fact, words: { facts }, isNew, attributes, onChange }: FactFieldProps): ReactElement {
  const { t } = useTranslation();
  const list = useId();
  return (
    <>
      <input
        list={list}
        autoFocus={isNew}
        aria-label={t('policy.fact')}
        value={fact}
        onChange={({ target }) => onChange(target.value)}
        {...attributes}
        className={fieldClass}
      />
      <datalist id={list}>
        {facts.map(({ path, doc }) => (
          <option key={path} value={path}>
            {doc}
          </option>
        ))}
      </datalist>
    </>
  );
}

const fieldClass = classNames(inputClass, 'w-full font-mono text-xs');

interface ValueFieldProps {
  readonly row: BuilderRow;
  readonly words: BuilderWords;
  readonly attributes: object;
  readonly onChange: (row: BuilderRow) => void;
}

/** A text with suggestions, a choice among the lists that fit, or nothing. */
function ValueField({ row, words: known, attributes, onChange }: ValueFieldProps): ReactElement | null {
  const { t } = useTranslation();
  const list = useId();
  const { fact, operator, value } = row;
  if (operator === 'missing' || operator === 'present') return null;
  if (isOfList(row)) {
    const fitting = fittingLists(fact, known).map(({ name }) => name);
    const shown = value === '' || fitting.includes(value) ? fitting : [value, ...fitting];
    return (
      <select
        aria-label={t('builder.list')}
        value={value}
        onChange={({ target }) => onChange({ ...row, value: target.value })}
        {...attributes}
        className={fieldClass}
      >
        {value === '' ? <option value="">{shown.length === 0 ? t('builder.noList') : ''}</option> : null}
        {shown.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    );
  }
  return (
    <>
      <input
        list={list}
        aria-label={t('policy.value')}
        value={value}
        onChange={({ target }) => onChange({ ...row, value: target.value })}
        {...attributes}
        className={fieldClass}
      />
      <datalist id={list}>
        {suggestedValues(fact, known).map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}
