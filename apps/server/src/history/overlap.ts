/** From its first instant to its last, both inclusive. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Overlap {
  /** Spans that share an instant. */
  readonly spans: number;
  readonly atMs: number;
}

/** An instant shared by the most spans; 0 spans for an empty list. */
export function mostOverlapping(all: readonly TimeSpan[]): Overlap {
  const ends = all.map(({ toMs }) => toMs).toSorted((a, b) => a - b);
  let most: Overlap = { spans: 0, atMs: 0 };
  let ended = 0;
  for (const [begun, { fromMs }] of all.toSorted((a, b) => a.fromMs - b.fromMs).entries()) {
    while (ends[ended]! < fromMs) ended++;
    const spans = begun + 1 - ended;
    if (spans > most.spans) most = { spans, atMs: fromMs };
  }
  return most;
}
