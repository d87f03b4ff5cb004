import { Check, CircleDashed, EyeOff, X } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ShownCondition } from '../../policy/explain-fired.ts';

interface ConditionRowProps {
  readonly condition: ShownCondition;
  /** Whether it held was told by the service, which saw the values that are masked here. */
  readonly isTold?: boolean;
}

/** A part of a condition, whether it held, and what it saw. */
export function ConditionRow({ condition, isTold }: ConditionRowProps): ReactElement {
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
    <li className="flex items-start gap-2.5 border-b border-line px-3 py-2 last:border-0">
      <Sign role="img" aria-label={word} className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <code className="min-w-0 grow font-mono text-xs leading-5 break-words">{text}</code>
      <span className="flex max-w-[55%] flex-wrap justify-end gap-1">
        {values.map(({ path, text: value }) => (
          <span key={path} className="inline-flex max-w-full rounded bg-sunken px-1.5 font-mono text-xs leading-5">
            <span className="truncate text-soft">{path}&nbsp;</span>
            <b className="font-semibold break-all">{value ?? t('event.missingFact')}</b>
          </span>
        ))}
      </span>
    </li>
  );
}
