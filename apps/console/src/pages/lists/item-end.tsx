import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../parts/field.tsx';

const spans = ['never', '1', '7', '30', '90', '365'] as const;
/** `same` keeps the present expiry. */
export type EndChoice = 'same' | (typeof spans)[number];

const dayMs = 86_400_000;

/** The expiry of a choice made now; undefined for never. */
export function endOf(choice: EndChoice, present: string | undefined): string | undefined {
  if (choice === 'same') return present;
  return choice === 'never' ? undefined : new Date(Date.now() + Number(choice) * dayMs).toISOString();
}

interface ItemEndProps {
  readonly value: EndChoice;
  readonly onChange: (choice: EndChoice) => void;
  /** Whether the present expiry can be kept. */
  readonly mayStay: boolean;
}

/** When an item expires. */
export function ItemEnd({ value, onChange, mayStay }: ItemEndProps): ReactElement {
  const { t } = useTranslation();
  const offered: readonly EndChoice[] = mayStay ? ['same', ...spans] : spans;
  return (
    <Choice
      label={t('lists.ends')}
      value={value}
      onChange={(event) => onChange(offered.find((one) => one === event.target.value) ?? 'never')}
      options={offered.map((one) => ({ value: one, label: t(`lists.end.${one}`) }))}
    />
  );
}
