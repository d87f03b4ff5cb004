/** Card operations in order of their time, a column each: 1.75 million rows take 25 MB. */
export interface Rows {
  /** Where they come from, for the report. */
  readonly source: string;
  readonly count: number;
  /** Seconds since the Unix epoch. */
  readonly epochS: Uint32Array;
  readonly customer: Uint16Array;
  readonly terminal: Uint16Array;
  readonly amountCents: Uint32Array;
  /** 1 where the row is labelled a fraud. */
  readonly fraud: Uint8Array;
}

/** Columns of that many zeros. */
export function emptyRows(source: string, count: number): Rows {
  return {
    source,
    count,
    epochS: new Uint32Array(count),
    customer: new Uint16Array(count),
    terminal: new Uint16Array(count),
    amountCents: new Uint32Array(count),
    fraud: new Uint8Array(count),
  };
}
