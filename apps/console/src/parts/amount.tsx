import type { ReactElement } from 'react';
import { useFormats } from '../format/use-formats.ts';

interface AmountProps {
  readonly digits: string | undefined;
  readonly currency: string | undefined;
}

/** An amount with all its digits. */
export function Amount({ digits, currency }: AmountProps): ReactElement | null {
  const formats = useFormats();
  return digits === undefined ? null : <span className="font-medium">{formats.amount(digits, currency)}</span>;
}
