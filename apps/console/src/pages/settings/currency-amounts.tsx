import { Plus, X } from 'lucide-react';
import { type ReactElement, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import { useCustomValidity } from '../../parts/use-custom-validity.ts';
import type { CurrencyAmount } from './settings-draft.ts';

/** As the service accepts it. */
const amountMax = 1_000_000_000_000;

interface CurrencyAmountsProps {
  readonly label: string;
  readonly hint: string;
  readonly value: readonly CurrencyAmount[];
  readonly onChange: (rows: readonly CurrencyAmount[]) => void;
}

/** An amount for each of some currencies. */
export function CurrencyAmounts({ label, hint, value, onChange }: CurrencyAmountsProps): ReactElement {
  const { t } = useTranslation();
  const id = useId();
  return (
    <fieldset aria-describedby={id} className="flex min-w-0 flex-col items-start gap-2">
      <legend className="mb-1 text-xs font-medium text-soft">{label}</legend>
      {value.map((row, i) => (
        <AmountRow
          // Rows have no other identity while their currency is typed.
          key={i}
          row={row}
          isTwice={value.some(({ currency }, j) => j < i && currency === row.currency)}
          onChange={(next) => onChange(value.with(i, next))}
          onRemove={() => onChange(value.toSpliced(i, 1))}
        />
      ))}
      <Button small onClick={() => onChange([...value, { currency: '', amount: '' }])}>
        <Plus aria-hidden className="size-3.5" />
        {t('settings.addCurrency')}
      </Button>
      <p id={id} className="text-xs text-soft">
        {hint}
      </p>
    </fieldset>
  );
}

interface AmountRowProps {
  readonly row: CurrencyAmount;
  /** A row above has the same currency. */
  readonly isTwice: boolean;
  readonly onChange: (row: CurrencyAmount) => void;
  readonly onRemove: () => void;
}

function AmountRow({ row, isTwice, onChange, onRemove }: AmountRowProps): ReactElement {
  const { t } = useTranslation();
  const currency = useCustomValidity<HTMLInputElement>(isTwice ? t('settings.currencyTwice') : '');
  return (
    <div className="flex w-full max-w-72 items-center gap-2">
      <input
        ref={currency}
        aria-label={t('settings.currency')}
        title={t('settings.currencyShape')}
        placeholder="MXN"
        required
        pattern="[A-Z]{3}"
        maxLength={3}
        value={row.currency}
        onChange={(event) => onChange({ ...row, currency: event.target.value.toUpperCase() })}
        className={`${inputClass} w-16 font-mono`}
      />
      <input
        aria-label={row.currency === '' ? t('settings.amount') : t('settings.amountOf', { currency: row.currency })}
        type="number"
        required
        min={0}
        max={amountMax}
        step={1}
        value={row.amount}
        onChange={(event) => onChange({ ...row, amount: event.target.value })}
        className={`${inputClass} min-w-0 grow text-right tabular-nums`}
      />
      <Button
        look="quiet"
        aria-label={t('settings.removeCurrency', { currency: row.currency })}
        onClick={onRemove}
        className="px-2"
      >
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  );
}
