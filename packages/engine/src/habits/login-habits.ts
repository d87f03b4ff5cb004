import { habitLoginsMax } from '../limits.ts';
import { LoginCounts } from './login-counts.ts';
import type { ShownLogin } from './shown-login.ts';

/**
 * How often a client showed each value, over its last logins: all counts are halved when there are `habitLoginsMax`, so
 * old habits fade, and values that were shown once are forgotten. This bounds the memory: at most six values a login.
 *
 * The values are searched one by one: there are about thirty, side by side in memory, where a map would be scattered.
 */
export class LoginHabits extends LoginCounts {
  /** Logins since the counts were halved, and half of those before. */
  logins = 0;
  /** The hash of each value, in the order in which they were first shown, and its count. */
  #hashes: number[] = [];
  #counts: number[] = [];

  /** Values that are counted. */
  get size(): number {
    return this.#hashes.length;
  }

  override countOf(hash: number): number {
    return this.#counts[this.#find(hash)] ?? 0;
  }

  override note(shown: ShownLogin): void {
    super.note(shown);
    this.logins++;
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

  protected override add(hash: number): void {
    const place = this.#find(hash);
    if (place === this.size) this.put(hash, 1);
    else this.#counts[place]!++;
  }

  /** The place of a value; their number if it is not there. */
  #find(hash: number): number {
    const hashes = this.#hashes;
    let place = 0;
    while (place < hashes.length && hashes[place] !== hash) place++;
    return place;
  }

  #halve(): void {
    this.halveTotals();
    this.logins = Math.floor(this.logins / 2);
    const [hashes, counts] = [this.#hashes, this.#counts];
    [this.#hashes, this.#counts] = [[], []];
    for (const [place, hash] of hashes.entries()) {
      if (counts[place]! > 1) this.put(hash, Math.floor(counts[place]! / 2));
    }
  }
}
