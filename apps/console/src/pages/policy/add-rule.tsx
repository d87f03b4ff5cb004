import type { PolicyFile, Rule } from '@ringfence/policy';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { interfaceActions, useActionName, useOwnActions } from '../deliveries/use-action-name.ts';
import { type BuilderRow, printRows } from './builder-condition.ts';
import { ConditionRows, firstRow, mistakeOf } from './builder.tsx';
import { SummaryFields } from './summary-fields.tsx';
import { addRule, type NewRule, type Summary } from './write-rule.ts';

interface AddRuleProps {
  readonly rules: readonly Rule[];
  readonly files: readonly PolicyFile[];
  readonly onChange: (path: string, text: string) => void;
  readonly onClose: () => void;
}

/** Form for a new rule: its name, condition, action and summary. */
export function AddRule({ rules, files, onChange, onClose }: AddRuleProps): ReactElement {
  const { t } = useTranslation();
  const own = files.filter(({ text }) => !/^pack:/m.test(text));
  const [path, setPath] = useState(() => (own.find(({ text }) => /^rules:/m.test(text)) ?? own[0])?.path);
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<number>();
  const [rows, setRows] = useState<readonly BuilderRow[]>([firstRow]);
  const [asked, setAsked] = useState<Asked>({ action: 2, message: '' });
  const [summary, setSummary] = useState<Summary>({});
  const reason = typed ?? freeReason(rules, path);
  const file = own.find((one) => one.path === path);
  const written =
    file === undefined || name.trim() === '' || rows.length === 0
      ? undefined
      : addRule(file, { reason, name: name.trim(), condition: printRows(rows), summary, ...asked });
  const problem = useMemo(
    () => (written === undefined ? undefined : mistakeOf(files, written)),
    [files, written?.text],
  );
  const save = (): void => {
    if (written === undefined || problem !== undefined) return;
    onChange(written.path, written.text);
    onClose();
  };
  return (
    <Dialog title={t('policy.newRule')} wide onClose={onClose}>
      <Form className="flex flex-col gap-3 text-sm" onSubmit={save}>
        <div className="flex flex-wrap gap-3">
          <Field
            label={t('policy.part.name')}
            className="grow"
            required
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Field
            label={t('policy.number')}
            title={t('policy.numberHint')}
            className="w-28"
            type="number"
            min={1}
            required
            value={Number.isNaN(reason) ? '' : reason}
            onChange={({ target }) => setTyped(target.valueAsNumber)}
          />
          <Choice
            label={t('policy.file')}
            value={path ?? ''}
            onChange={({ target }) => setPath(target.value)}
            options={own.map((one) => ({ value: one.path, label: one.path }))}
          />
        </div>
        <ConditionRows rows={rows} files={files} onChange={setRows} />
        <AskedFields asked={asked} onChange={setAsked} />
        <SummaryFields summary={summary} onChange={setSummary} />
        <p className="text-soft">{t('policy.beginsInShadow')}</p>
        <p role="status" className="min-h-5 text-bad">
          {problem ?? ''}
        </p>
        <DialogEnd onCancel={onClose}>
          <Button type="submit" look="main" disabled={rows.length === 0 || problem !== undefined}>
            {t('policy.take')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

type Asked = Pick<NewRule, 'action' | 'message'>;

interface AskedFieldsProps {
  readonly asked: Asked;
  readonly onChange: (asked: Asked) => void;
}

/** The action and the message to the client. */
function AskedFields({ asked, onChange }: AskedFieldsProps): ReactElement {
  const { t } = useTranslation();
  const actionName = useActionName();
  const actions = [...interfaceActions, ...useOwnActions().keys()];
  return (
    <div className="flex flex-wrap gap-3">
      <Choice
        label={t('trigger.action')}
        value={asked.action}
        onChange={({ target }) => onChange({ ...asked, action: Number(target.value) })}
        options={actions.map((one) => ({ value: String(one), label: actionName(one) }))}
      />
      <Field
        label={t('trigger.message')}
        className="grow"
        value={asked.message}
        onChange={({ target }) => onChange({ ...asked, message: target.value })}
      />
    </div>
  );
}

/** An unused number after those of its file. */
function freeReason(rules: readonly Rule[], path: string | undefined): number {
  const taken = new Set(rules.map(({ reason }) => reason));
  let reason = Math.max(0, ...rules.filter(({ file }) => file === path).map((one) => one.reason)) + 1;
  while (taken.has(reason)) reason++;
  return reason;
}
