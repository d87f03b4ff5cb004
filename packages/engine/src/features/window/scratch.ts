import { scannedRowsMax } from '../../limits.ts';
import { EncodedText } from '../../bytes/encoded-text.ts';
import { CurrencyNumber } from './currency-number.ts';
import { FirstLooks } from './first-looks.ts';
import { ValueCounts } from './value-counts.ts';
import { Squares } from './wide-multiply.ts';

/** Contents of a window for one feature. The sum or the extreme is in `ticks`, or in `wide` if that is defined. */
export interface Tally {
  /** Rows that count; for `distinct` values, before sampling is taken into account. */
  count: number;
  ticks: number;
  wide: bigint | undefined;
}

/**
 * Working memory of the features, shared by all groups of a store, so that nothing is allocated for an event. Not part
 * of the state: whatever reads a member has filled it for the same entity before.
 */
export class Scratch {
  /** The result of the last `tallyOf`. */
  readonly tally: Tally = { count: 0, ticks: 0, wide: undefined };
  readonly firstLooks = new FirstLooks();
  readonly sorted = new Float64Array(scannedRowsMax);
  readonly squares = new Squares();
  readonly valueCounts = new ValueCounts();
  readonly currency = new CurrencyNumber();
  readonly text = new EncodedText();
}
