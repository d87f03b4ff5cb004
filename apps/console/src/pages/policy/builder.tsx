import { completions, loadPolicy, type PolicyFile, type Rule } from '@ringfence/policy';
import { Plus, Trash2 } from 'lucide-react';
import { type ReactElement, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { inputClass } from '../../parts/field.tsx';
import { type BuilderRow, builderOperators, printRows, readRows } from './builder-condition.ts';
import { SummaryFields } from './summary-fields.tsx';
import { type Summary, writeCondition, writeSummary } from './write-rule.ts';

interface BuilderProps {
  readonly rule: Rule;
  readonly files: readonly PolicyFile[];
  readonly onChange: (path: string, text: string) => void;
  readonly onClose: () => void;
}

/** Edits the condition of a rule as rows joined by AND, and its summary. It writes the same text that the editor shows. */
export function Builder({ rule, files, onChange, onClose }: BuilderProps): ReactElement {
  const { t } = useTranslation();
  const [rows, setRows] = useState(() => readRows(rule.text) ?? []);
  const [summary, setSummary] = useState(() => summaryOf(rule));
  const condition = printRows(rows);
  const file = files.find(({ path }) => path === rule.file);
  const isTold = JSON.stringify(summary) !== JSON.stringify(summaryOf(rule));
  const conditioned = file === undefined ? undefined : writeCondition(file, rule.reason, condition);
  const written = conditioned === undefined || !isTold ? conditioned : writeSummary(conditioned, rule.reason, summary);
  const problem = useMemo(
    () => (written === undefined ? undefined : mistakeOf(files, written)),
    [files, written?.text],
  );
  const save = (): void => {
    if (written !== undefined) onChange(written.path, written.text);
    onClose();
  };
  return (
    <Dialog title={`${rule.reason} ${rule.name}`} wide onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <ConditionRows rows={rows} files={files} onChange={setRows} />
        <SummaryFields summary={summary} onChange={setSummary} />
        <p role="status" className="min-h-5 text-bad">
          {problem ?? ''}
        </p>
        <DialogEnd onCancel={onClose}>
          <Button look="main" disabled={rows.length === 0 || problem !== undefined} onClick={save}>
            {t('policy.take')}
          </Button>
        </DialogEnd>
      </div>
    </Dialog>
  );
}

function summaryOf({ summary }: Rule): Summary {
  return Object.fromEntries(summary.map(({ language, template }) => [language, template]));
}

interface ConditionRowsProps {
  readonly rows: readonly BuilderRow[];
  readonly files: readonly PolicyFile[];
  readonly onChange: (rows: readonly BuilderRow[]) => void;
}

/** One comparison per row, and the resulting text. */
export function ConditionRows({ rows, files, onChange }: ConditionRowsProps): ReactElement {
  const { t } = useTranslation();
  const own = useMemo(() => ownFeatures(files), [files]);
  const put = (at: number, part: Partial<BuilderRow>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <>
      <p className="text-soft">{t('policy.allHold')}</p>
      <ul className="flex flex-col gap-2">
        {rows.map((row, at) => (
          <RowFields
            key={at}
            row={row}
            own={own}
            onChange={(part) => put(at, part)}
            onRemove={() => onChange(rows.filter((_, index) => index !== at))}
          />
        ))}
      </ul>
      <Button small className="self-start" onClick={() => onChange([...rows, firstRow])}>
        <Plus aria-hidden className="size-3.5" />
        {t('policy.addRow')}
      </Button>
      <code className="rounded bg-sunken p-2 font-mono text-xs break-words">{printRows(rows)}</code>
    </>
  );
}

/** Initial values of a new row. */
export const firstRow: BuilderRow = { fact: 'order.amount', operator: '>', value: '0' };

/** Errors of the policy if one of its files has this text. */
export function mistakeOf(files: readonly PolicyFile[], written: PolicyFile): string | undefined {
  const loaded = loadPolicy(files.map((file) => (file.path === written.path ? written : file)));
  if (loaded.ok) return undefined;
  const [first] = loaded.errors;
  return first === undefined ? undefined : [first.message, first.suggestion].filter(Boolean).join(': ');
}

/** Declarations of the policy, as conditions name them. */
function ownFeatures(files: readonly PolicyFile[]): readonly string[] {
  const loaded = loadPolicy(files);
  if (!loaded.ok) return [];
  const { features, ratios } = loaded.policy;
  return [...features.flatMap(({ paths }) => paths), ...ratios.map(({ name }) => name)];
}

interface RowFieldsProps {
  readonly row: BuilderRow;
  readonly own: readonly string[];
  readonly onChange: (part: Partial<BuilderRow>) => void;
  readonly onRemove: () => void;
}

function RowFields({ row, own, onChange, onRemove }: RowFieldsProps): ReactElement {
  const { t } = useTranslation();
  const list = useId();
  return (
    <li className="flex gap-2">
      <input
        list={list}
        aria-label={t('policy.fact')}
        value={row.fact}
        onChange={(event) => onChange({ fact: event.target.value })}
        className={`${inputClass} grow font-mono text-xs`}
      />
      <datalist id={list}>
        {own.map((name) => (
          <option key={name} value={name} />
        ))}
        {completions()
          .filter(({ kind }) => kind === 'fact')
          .map(({ label, doc }) => (
            <option key={label} value={label}>
              {doc}
            </option>
          ))}
      </datalist>
      <select
        aria-label={t('policy.operator')}
        value={row.operator}
        onChange={(event) => onChange({ operator: builderOperators.find((one) => one === event.target.value) ?? '==' })}
        className={`${inputClass} w-20 font-mono`}
      >
        {builderOperators.map((operator) => (
          <option key={operator}>{operator}</option>
        ))}
      </select>
      <input
        aria-label={t('policy.value')}
        value={row.value}
        onChange={(event) => onChange({ value: event.target.value })}
        className={`${inputClass} w-64 font-mono text-xs`}
      />
      <Button look="quiet" aria-label={t('policy.removeRow')} onClick={onRemove}>
        <Trash2 aria-hidden className="size-4" />
      </Button>
    </li>
  );
}
