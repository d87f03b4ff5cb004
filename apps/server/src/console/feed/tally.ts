import type { EventTable } from '../../database/tables.ts';

/** Seconds of the spans that are counted. */
export const spans = [60, 3_600] as const;
export type Span = (typeof spans)[number];

/** What is counted, with what its key is. */
const countNames = [
  'event', // kind
  'channel', // number
  'country', // of a login's address, ISO 3166
  'device', // platform of a login's device
  'decision', // fired, shadow, quiet, repeat, aside
  'rule', // reason of a live rule that fired
  'shadow', // reason of a shadow rule that fired
  'mismatch', // why an operation found no session
  'warning', // what an integrator should mend
] as const;
export type CountName = (typeof countNames)[number];

const keyLengthMax = 64;

/** Counts of one batch, by span, bucket, name and key. */
export class Tally {
  readonly #counts = new Map<
    string,
    { readonly span: Span; readonly atMs: number; readonly name: CountName; readonly key: string; count: number }
  >();

  add(atMs: number, name: CountName, key: string | number): void {
    for (const span of spans) {
      const at = Math.floor(atMs / (span * 1_000)) * span * 1_000;
      const cut = String(key).slice(0, keyLengthMax);
      const id = `${span} ${at} ${name} ${cut}`;
      const known = this.#counts.get(id);
      if (known === undefined) this.#counts.set(id, { span, atMs: at, name, key: cut, count: 1 });
      else known.count++;
    }
  }

  /** What was decided about an event. */
  addDecision(row: Pick<EventTable, 'logged_at' | 'status' | 'fired' | 'shadow' | 'mismatch'>): void {
    const atMs = row.logged_at.getTime();
    this.add(atMs, 'decision', outcomeOf(row));
    for (const reason of row.fired) this.add(atMs, 'rule', reason);
    for (const reason of row.shadow) this.add(atMs, 'shadow', reason);
    if (row.mismatch !== null) this.add(atMs, 'mismatch', row.mismatch);
  }

  /** In an order that all batches keep, so that none waits for another in a circle. */
  rows(): readonly {
    readonly span: Span;
    readonly atMs: number;
    readonly name: string;
    readonly key: string;
    readonly count: number;
  }[] {
    return [...this.#counts.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

export type Outcome = 'fired' | 'shadow' | 'quiet' | 'repeat' | 'aside';

function outcomeOf({ status, fired, shadow }: Pick<EventTable, 'status' | 'fired' | 'shadow'>): Outcome {
  if (status === 'repeat') return 'repeat';
  if (status !== 'decided') return 'aside';
  if (fired.length > 0) return 'fired';
  return shadow.length > 0 ? 'shadow' : 'quiet';
}
