/** 2018-04-01, the first day of the handbook, on which it counts its days from 0. */
export const firstDayEpochS = 1_522_540_800;
export const daySeconds = 86_400;
/** A terminal was compromised: all its operations are fraud for 28 days. The others: 1, amounts above 220; 3, five times the amounts of a customer. */
export const terminalScenario = 2;

/** Card operations in order of time, one array per column: 1.75 million rows take 27 MB. */
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
  /** How the fraud came about; 0 for a legitimate row. */
  readonly scenario: Uint8Array;
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
    scenario: new Uint8Array(count),
  };
}
