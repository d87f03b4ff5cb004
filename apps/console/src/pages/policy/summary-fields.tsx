import { type ReactElement, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Summary } from './write-rule.ts';

interface SummaryFieldsProps {
  readonly summary: Summary;
  readonly onChange: (summary: Summary) => void;
}

/** What happened in one sentence, in English and Spanish. Other languages are edited in the text. */
export function SummaryFields({ summary, onChange }: SummaryFieldsProps): ReactElement {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="flex flex-wrap gap-3">
      {(['en', 'es'] as const).map((language) => (
        <div key={language} className="flex min-w-64 grow flex-col gap-1">
          <label htmlFor={`${id}-${language}`} className="text-xs font-medium text-soft">
            {t(`policy.summaryIn.${language}`)}
          </label>
          <textarea
            id={`${id}-${language}`}
            aria-describedby={`${id}-hint`}
            rows={2}
            maxLength={500}
            value={summary[language] ?? ''}
            onChange={({ target }) => onChange({ ...summary, [language]: target.value })}
            className="w-full rounded-md border border-line-strong bg-card p-2 font-mono text-xs"
          />
        </div>
      ))}
      <p id={`${id}-hint`} className="w-full text-xs text-soft">
        {t('policy.summaryHint', { example: '{{order.amount}}' })}
      </p>
    </div>
  );
}
