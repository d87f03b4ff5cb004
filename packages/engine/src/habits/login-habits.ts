import { habitLoginsMax } from '../limits.ts';
import { hourHashes, hoursRoot, type ShownLogin } from './shown-login.ts';

/** How often values were shown. */
export interface LoginCounts {
  countOf(hash: number): number;
}

/** Values that there is room for at first: those of a client with few devices and places. */
const sizeMin = 32;

/**
 * How often a client showed each value, over its last logins: all counts are halved when there are `habitLoginsMax`, so
 * old habits fade, and values that were shown once are forgotten. This bounds the memory: at most ten values a login.
 *
 * The values are searched one by one: there are about fifty, side by side in memory, where a map would be scattered.
 */
export class LoginHabits implements LoginCounts {
  /** Logins that are counted. */
  logins = 0;
  /** Values that are counted. */
  size = 0;
  /** The first `size` ones: the hash of each value, and its count. */
  #hashes = new Int32Array(sizeMin);
  #counts = new Uint8Array(sizeMin);

  countOf(hash: number): number {
    const place = this.#find(hash);
    return place < 0 ? 0 : this.#counts[place]!;
  }

  note(shown: ShownLogin): void {
    this.logins++;
    forEachHash(shown, (hash) => this.#add(hash));
    if (this.logins >= habitLoginsMax) this.#halve();
  }

  /** The values with their counts, in the order in which they were first shown. */
  *entries(): Generator<readonly [hash: number, count: number]> {
    for (let place = 0; place < this.size; place++) yield [this.#hashes[place]!, this.#counts[place]!];
  }

  /** Adds a value that is not there, at the end. */
  put(hash: number, count: number): void {
    if (this.size === this.#hashes.length) this.#grow();
    this.#hashes[this.size] = hash;
    this.#counts[this.size] = count;
    this.size++;
  }

  #find(hash: number): number {
    const hashes = this.#hashes;
    for (let place = this.size - 1; place >= 0; place--) if (hashes[place] === hash) return place;
    return -1;
  }

  #add(hash: number): void {
    const place = this.#find(hash);
    if (place < 0) this.put(hash, 1);
    else this.#counts[place]!++;
  }

  #grow(): void {
    const [hashes, counts] = [new Int32Array(2 * this.size), new Uint8Array(2 * this.size)];
    hashes.set(this.#hashes);
    counts.set(this.#counts);
    [this.#hashes, this.#counts] = [hashes, counts];
  }

  #halve(): void {
    const before = [...this.entries()];
    this.logins = Math.floor(this.logins / 2);
    this.size = 0;
    for (const [hash, count] of before) if (count > 1) this.put(hash, Math.floor(count / 2));
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
