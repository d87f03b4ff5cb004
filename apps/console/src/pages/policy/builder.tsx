import type { PolicyFile, Rule } from '@ringfence/policy';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { SummaryFields } from './summary-fields.tsx';
import { useRuleCondition } from './use-rule-condition.ts';
import { mistakeOf, useWrittenProblem } from './use-written-problem.ts';
import { withFiles } from './draft-files.ts';
import { type Summary, writeCondition, writeSummary } from './write-rule.ts';

interface BuilderProps {
  readonly rule: Rule;
  readonly files: readonly PolicyFile[];
  /** Takes the changed files. */
  readonly onChange: (written: readonly PolicyFile[]) => void;
  readonly onClose: () => void;
}

/** Edits the condition of a rule, and its summary. It writes the same text that the editor shows. */
export function Builder({ rule, files, onChange, onClose }: BuilderProps): ReactElement {
  const { t } = useTranslation();
  const condition = useRuleCondition(files, rule.text);
  const [summary, setSummary] = useState(() => summaryOf(rule));
  const written = writtenBy(rule, condition.files, { text: condition.text, summary });
  const problem = useWrittenProblem(condition.files, condition.isReady && condition.isChecked ? written : undefined);
  const save = (): void => {
    if (written === undefined || !condition.isReady || mistakeOf(condition.files, written) !== undefined) return;
    onChange(withFiles(condition.featureFiles, [written]));
    onClose();
  };
  return (
    <Dialog title={`${rule.reason} ${rule.name}`} wide onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <ConditionFields of={condition} path={rule.file} />
        <SummaryFields summary={summary} onChange={setSummary} />
        <p role="status" className="min-h-5 text-bad">
          {problem ?? ''}
        </p>
        <DialogEnd onCancel={onClose}>
          <Button look="main" disabled={!condition.isReady || problem !== undefined} onClick={save}>
            {t('policy.take')}
          </Button>
        </DialogEnd>
      </div>
    </Dialog>
  );
}

/** The file of the rule with its condition and, if it was changed, its summary. */
function writtenBy(
  rule: Rule,
  files: readonly PolicyFile[],
  { text, summary }: { readonly text: string; readonly summary: Summary },
): PolicyFile | undefined {
  const file = files.find(({ path }) => path === rule.file);
  if (file === undefined || text === '') return undefined;
  const conditioned = writeCondition(file, rule.reason, text);
  const isTold = JSON.stringify(summary) !== JSON.stringify(summaryOf(rule));
  return isTold ? writeSummary(conditioned, rule.reason, summary) : conditioned;
}

function summaryOf({ summary }: Rule): Summary {
  return Object.fromEntries(summary.map(({ language, template }) => [language, template]));
}
