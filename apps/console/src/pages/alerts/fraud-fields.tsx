import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { Choice, Field } from '../../parts/field.tsx';
import { useFraudTypes } from './use-fraud-types.ts';

/** As typed; an empty text says nothing. */
export interface FraudDraft {
  readonly type: string;
  readonly loss: string;
  readonly recovered: string;
  readonly currency: string;
}

/** What was said before, in the currency of the alert. */
export function fraudDraft({ fraudType, loss, recovered, lossCurrency, currency }: AlertDetail): FraudDraft {
  return {
    type: fraudType ?? '',
    loss: loss ?? '',
    recovered: recovered ?? '',
    currency: lossCurrency ?? currency ?? '',
  };
}

/** The members of the request. A currency without an amount says nothing. */
export function fraudBody({ type, loss, recovered, currency }: FraudDraft) {
  const hasAmount = loss !== '' || recovered !== '';
  return {
    ...(type === '' ? {} : { type }),
    ...(loss === '' ? {} : { loss }),
    ...(recovered === '' ? {} : { recovered }),
    ...(hasAmount ? { currency: currency.toUpperCase() } : {}),
  };
}

interface FraudFieldsProps {
  readonly draft: FraudDraft;
  readonly onChange: (draft: FraudDraft) => void;
}

const decimal = '\\d{1,18}(\\.\\d{1,6})?';

/** The type of a fraud, what it cost, and what came back: all of it by choice. */
export function FraudFields({ draft, onChange }: FraudFieldsProps): ReactElement {
  const { t } = useTranslation();
  const types = useFraudTypes();
  const put = (part: Partial<FraudDraft>): void => onChange({ ...draft, ...part });
  return (
    <>
      <Choice
        label={t('alerts.fraudType')}
        value={draft.type}
        onChange={(event) => put({ type: event.target.value })}
        options={[{ value: '', label: t('alerts.noFraudType') }, ...types]}
      />
      <div className="grid grid-cols-[1fr_1fr_5rem] gap-3">
        <Field
          label={t('alerts.loss')}
          inputMode="decimal"
          pattern={decimal}
          title={t('alerts.decimal')}
          value={draft.loss}
          onChange={(event) => put({ loss: event.target.value.trim() })}
        />
        <Field
          label={t('alerts.recovered')}
          inputMode="decimal"
          pattern={decimal}
          title={t('alerts.decimal')}
          value={draft.recovered}
          onChange={(event) => put({ recovered: event.target.value.trim() })}
        />
        <Field
          label={t('alerts.currency')}
          pattern="[A-Za-z]{3}"
          maxLength={3}
          required={draft.loss !== '' || draft.recovered !== ''}
          value={draft.currency}
          onChange={(event) => put({ currency: event.target.value })}
        />
      </div>
    </>
  );
}
