import { Check, CircleDashed, EyeOff, X } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FactValue } from '../../parts/fact-value.tsx';
import type { ShownCondition } from '../../policy/explain-fired.ts';

interface ConditionRowProps {
  readonly condition: ShownCondition;
  /** Computed by the service, which sees values that are masked here. */
  readonly isTold?: boolean;
  /** In narrow layouts the value is below the condition. */
  readonly isNarrow?: boolean;
}

/** One part of a condition, its result, and the value it read. */
export function ConditionRow({ condition, isTold, isNarrow }: ConditionRowProps): ReactElement {
  const { t } = useTranslation();
  const { text, holds, values } = condition;
  const isMasked = isTold !== true && values.some(({ text: value }) => value?.includes('•') === true);
  const Sign = isMasked ? EyeOff : holds === undefined ? CircleDashed : holds ? Check : X;
  const word = isMasked
    ? t('event.maskedFact')
    : holds === undefined
      ? t('event.missingFact')
      : holds
        ? t('event.holds')
        : t('event.holdsNot');
  const tone = isTold === true && holds !== true ? 'text-bad' : holds === true ? 'text-fence' : 'text-soft';
  return (
    <li
      className={`flex items-start gap-x-2.5 gap-y-1 border-b border-line px-3 py-2 last:border-0 ${isNarrow === true ? 'flex-wrap' : ''}`}
    >
      <Sign role="img" aria-label={word} className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <code className="min-w-0 flex-1 font-mono text-xs leading-5 break-words">{text}</code>
      <span className={`flex flex-wrap gap-1 ${isNarrow === true ? 'basis-full pl-6.5' : 'max-w-[55%] justify-end'}`}>
        {values.map(({ path, text: value }) => (
          <span key={path} className="inline-flex max-w-full rounded bg-sunken px-1.5 font-mono text-xs leading-5">
            <span className="truncate text-soft">{path}&nbsp;</span>
            <b className="font-semibold break-all">
              {value === undefined ? t('event.missingFact') : <FactValue value={value} />}
            </b>
          </span>
        ))}
      </span>
    </li>
  );
}
