import type { PolicyFile, Rule } from '@ringfence/policy';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { interfaceActions, useActionName, useOwnActions } from '../deliveries/use-action-name.ts';
import { ConditionFields } from './condition-fields.tsx';
import { firstFile, freeReason, mistakesOfName, type Named, NamedFields } from './named-fields.tsx';
import { SummaryFields } from './summary-fields.tsx';
import { useRuleCondition } from './use-rule-condition.ts';
import { mistakeOf, useWrittenProblem } from './use-written-problem.ts';
import { withFiles } from './draft-files.ts';
import { addRule, type NewRule, type Summary } from './write-rule.ts';

interface AddRuleProps {
  readonly rules: readonly Rule[];
  readonly files: readonly PolicyFile[];
  /** The condition to begin with. */
  readonly condition?: string | undefined;
  /** Takes the changed and new files. */
  readonly onChange: (written: readonly PolicyFile[]) => void;
  readonly onClose: () => void;
}

/** Form for a new rule: its name, file, condition, action and summary. */
export function AddRule({ rules, files, condition: begun, onChange, onClose }: AddRuleProps): ReactElement {
  const { t } = useTranslation();
  const condition = useRuleCondition(files, begun);
  const [named, setNamed] = useState<Named>(() => ({
    name: '',
    reason: undefined,
    path: firstFile(files),
    fresh: undefined,
  }));
  const [asked, setAsked] = useState<Asked>({ action: 2, message: '' });
  const [summary, setSummary] = useState<Summary>({});
  const mistakes = mistakesOfName(named, { rules, files });
  const path = named.fresh ?? named.path;
  const reason = named.reason ?? freeReason(rules, path);
  const isReady = condition.isReady && named.name.trim() !== '' && Object.keys(mistakes).length === 0;
  const file = condition.files.find((one) => one.path === path) ?? { path, text: '' };
  const written = !isReady
    ? undefined
    : addRule(file, { reason, name: named.name.trim(), condition: condition.text, summary, ...asked });
  const problem = useWrittenProblem(condition.files, condition.isChecked ? written : undefined);
  const save = (): void => {
    if (written === undefined || problem !== undefined) return;
    if (mistakeOf(condition.files, written) !== undefined) return;
    onChange(withFiles(condition.featureFiles, [written]));
    onClose();
  };
  return (
    <Dialog title={t('policy.newRule')} wide onClose={onClose}>
      <Form className="flex flex-col gap-3 text-sm" onSubmit={save}>
        <NamedFields named={named} reason={reason} files={files} mistakes={mistakes} onChange={setNamed} />
        <ConditionFields of={condition} path={named.fresh === undefined ? named.path : firstFile(files)} />
        <AskedFields asked={asked} onChange={setAsked} />
        <SummaryFields summary={summary} onChange={setSummary} />
        <p className="text-soft">{t('policy.beginsInShadow')}</p>
        <p role="status" className="min-h-5 text-bad">
          {problem ?? ''}
        </p>
        <DialogEnd onCancel={onClose}>
          <Button type="submit" look="main" disabled={!condition.isReady || problem !== undefined}>
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
