import { habitLoginsMax } from '../limits.ts';
import { hourHashes, hoursRoot, type ShownLogin } from './shown-login.ts';

/** How often values were shown. */
export interface LoginCounts {
  countOf(hash: number): number;
}

/**
 * How often a client showed each value, over its last logins: all counts are halved when there are `habitLoginsMax`, so
 * old habits fade, and values that were shown once are forgotten. This bounds the memory: at most seven values a login.
 */
export class LoginHabits implements LoginCounts {
  /** Logins that are counted. */
  logins = 0;
  /** By the hash of a value. */
  readonly counts = new Map<number, number>();

  countOf(hash: number): number {
    return this.counts.get(hash) ?? 0;
  }

  note(shown: ShownLogin): void {
    this.logins++;
    forEachHash(shown, (hash) => this.counts.set(hash, this.countOf(hash) + 1));
    if (this.logins >= habitLoginsMax) this.#halve();
  }

  #halve(): void {
    this.logins = Math.floor(this.logins / 2);
    for (const [hash, count] of this.counts) {
      if (count < 2) this.counts.delete(hash);
      else this.counts.set(hash, Math.floor(count / 2));
    }
  }
}

/** Calls `work` with each value that the login shows, and with the parts that it has. */
export function forEachHash({ place, software, hour }: ShownLogin, work: (hash: number) => void): void {
  for (const hash of place ?? []) work(hash);
  for (const hash of software ?? []) work(hash);
  if (hour === undefined) return;
  work(hoursRoot);
  work(hourHashes[hour]!);
}
