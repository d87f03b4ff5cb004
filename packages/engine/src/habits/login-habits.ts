import { habitLoginsMax } from '../limits.ts';
import { hourHashes, hoursRoot, type ShownLogin } from './shown-login.ts';

/** How often values were shown. */
export interface LoginCounts {
  countOf(hash: number): number;
}

/**
 * How often a client showed each value, over its last logins: all counts are halved when there are `habitLoginsMax`, so
 * old habits fade, and values that were shown once are forgotten. This bounds the memory: at most ten values a login.
 *
 * The values are searched one by one: there are about fifty, side by side in memory, where a map would be scattered.
 */
export class LoginHabits implements LoginCounts {
  /** Logins that are counted. */
  logins = 0;
  /** The hash of each value, in the order in which they were first shown, and its count. */
  #hashes: number[] = [];
  #counts: number[] = [];

  /** Values that are counted. */
  get size(): number {
    return this.#hashes.length;
  }

  countOf(hash: number): number {
    return this.#counts[this.#find(hash)] ?? 0;
  }

  note(shown: ShownLogin): void {
    this.logins++;
    forEachHash(shown, (hash) => this.#add(hash));
    if (this.logins >= habitLoginsMax) this.#halve();
  }

  /** Calls `work` with each value and its count, in order. */
  forEach(work: (hash: number, count: number) => void): void {
    for (let place = 0; place < this.size; place++) work(this.#hashes[place]!, this.#counts[place]!);
  }

  /** Adds a value that is not there, at the end. */
  put(hash: number, count: number): void {
    this.#hashes.push(hash);
    this.#counts.push(count);
  }

  /** The place of a value; its length if it is not there. */
  #find(hash: number): number {
    const hashes = this.#hashes;
    let place = 0;
    while (place < hashes.length && hashes[place] !== hash) place++;
    return place;
  }

  #add(hash: number): void {
    const place = this.#find(hash);
    if (place === this.size) this.put(hash, 1);
    else this.#counts[place]!++;
  }

  #halve(): void {
    const [hashes, counts] = [this.#hashes, this.#counts];
    [this.#hashes, this.#counts] = [[], []];
    this.logins = Math.floor(this.logins / 2);
    for (const [place, hash] of hashes.entries()) {
      if (counts[place]! > 1) this.put(hash, Math.floor(counts[place]! / 2));
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
