/** Card operations in order of time, one array per column: 1.75 million rows take 25 MB. */
export interface Rows {
  /** The source, for the report. */
  readonly source: string;
  readonly count: number;
  /** Seconds since the Unix epoch. */
  readonly epochS: Uint32Array;
  readonly customer: Uint16Array;
  readonly terminal: Uint16Array;
  readonly amountCents: Uint32Array;
  /** 1 where the row is labelled as fraud. */
  readonly fraud: Uint8Array;
}

/** Columns of this many zeros. */
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
