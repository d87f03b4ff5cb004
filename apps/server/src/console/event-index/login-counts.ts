/** Counts that need the content of events, not only their rows: country and platform of logins. */
import { type Enrichment, minuteMs } from '@ringfence/contract';
import { float8Array, int4Array, textArray } from '@ringfence/log';

/** One count of a batch, by minute, name and key. */
export interface LoginCount {
  /** The start of the minute. */
  readonly atMs: number;
  readonly name: 'country' | 'device';
  readonly key: string;
  count: number;
}

/** Counts values in events, by the minutes of their log times. */
export class LoginCounts {
  readonly #counts = new Map<string, LoginCount>();

  add(facts: Enrichment['facts'], loggedAtMs: number): void {
    this.#count(loggedAtMs, 'country', facts['ip.country']);
    this.#count(loggedAtMs, 'device', facts['device.platform']);
  }

  rows(): readonly LoginCount[] {
    return [...this.#counts.values()];
  }

  #count(loggedAtMs: number, name: LoginCount['name'], key: unknown): void {
    if (typeof key !== 'string') return;
    const atMs = Math.floor(loggedAtMs / minuteMs) * minuteMs;
    const id = `${atMs} ${name} ${key}`;
    const known = this.#counts.get(id);
    if (known === undefined) this.#counts.set(id, { atMs, name, key, count: 1 });
    else known.count++;
  }
}

/** The columns of some rows of `console_seen`, each as an array: seconds of the minutes, names, keys, counts. */
export function loginCountColumns(seen: readonly LoginCount[]): readonly unknown[] {
  return [
    float8Array(seen.map(({ atMs }) => atMs / 1_000)),
    textArray(seen.map(({ name }) => name)),
    textArray(seen.map(({ key }) => key)),
    int4Array(seen.map(({ count }) => count)),
  ];
}
