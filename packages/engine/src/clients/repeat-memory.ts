import { appended, appendedAll } from '../memory/appended.ts';
import { repeatBodiesMax, repeatReachMs, repeatsPerBodyMax } from '../limits.ts';

/** A body that was applied: the last time, and times before it. */
export interface Applied {
  /** Of the last event that was applied with this body. */
  readonly offset: number;
  readonly atMs: number;
  /** Times of the ones before, oldest first. */
  readonly earlierMs: readonly number[];
}

const noTimes: readonly number[] = [];
/** Never changed: a list that something is put into is another one. */
const none: never[] = [];
const numbersEach = 3;
const offsetAt = 1;
const timeAt = 2;

/** Bodies up to which a look at the hash of each is quicker than a map, and smaller by far. */
const lookedAtMax = 32;
/** Places at the front that were left, and that are worth moving the others for. */
const leftMin = 8;
/** Last characters of a body that are hashed: a body is a digest, of which any eight tell it from others. */
const hashedCharacters = 8;

/**
 * Bodies that a client sent within the last 24 h, by digest, the longest unused first. Retries are found by it, and
 * what is applied although it was sent before is counted. Log time never falls, so the oldest stand at the front.
 *
 * Each stands in lists of plain values, so that an event makes nothing that the collector has to carry over.
 */
export class RepeatMemory {
  /** From `#head` on, in the order in which they were applied last; `undefined` where one was taken out. */
  #bodies: (string | undefined)[] = none;
  /** Of each body its hash, its offset and its time, one behind the other: one list takes less than three. */
  #numbers: number[] = none;
  #head = 0;
  #size = 0;
  /** Times before the last, of bodies that were applied more than once. */
  #earlierMs: Map<string, readonly number[]> | undefined;
  /** Where each body stands, once they are many. */
  #places: Map<string, number> | undefined;
  /** No body here was applied before this instant, so that there is nothing to forget until a day after it. */
  #sinceMs = 0;

  get size(): number {
    return this.#size;
  }

  /** Visits all that it remembers, the longest unused first. */
  each(visit: (body: string, applied: Applied) => void): void {
    for (let place = this.#head; place < this.#bodies.length; place++) {
      const body = this.#bodies[place];
      if (body !== undefined) visit(body, this.#appliedAt(place, body));
    }
  }

  /** Begins with what was kept, the longest unused first: bodies, and of each its offset and its time. */
  restore(bodies: string[], numbers: readonly number[]): void {
    this.#bodies = bodies;
    this.#numbers = [];
    for (let place = 0; place < bodies.length; place++) {
      this.#numbers.push(hashOf(bodies[place]!), numbers[2 * place]!, numbers[2 * place + 1]!);
    }
    this.#head = 0;
    this.#size = bodies.length;
    if (bodies.length > lookedAtMax) this.#tidy();
  }

  /** Times before the last, of a body that was restored. */
  restoreEarlier(body: string, earlierMs: readonly number[]): void {
    (this.#earlierMs ??= new Map()).set(body, earlierMs);
  }

  /** The event of the last 24 h with this body. */
  find(body: string, nowMs: number): Applied | undefined {
    const place = this.#find(body);
    return place >= 0 && isRecent(this.#timeMs(place), nowMs) ? this.#appliedAt(place, body) : undefined;
  }

  /** An event was applied; `before` is what `find` gave for its body. */
  note(body: string, event: { readonly offset: number; readonly nowMs: number }, before: Applied | undefined): void {
    const { offset, nowMs } = event;
    if (before !== undefined) this.#remove(this.#find(body));
    if (!isRecent(this.#sinceMs, nowMs) || this.#size >= repeatBodiesMax) this.#forget(nowMs);
    const earlierMs =
      before === undefined ? noTimes : [...recent(before, nowMs), before.atMs].slice(-repeatsPerBodyMax);
    this.#bodies = appended(this.#bodies, body);
    this.#numbers = appendedAll(this.#numbers, [hashOf(body), offset, nowMs]);
    this.#size++;
    if (earlierMs.length > 0) (this.#earlierMs ??= new Map()).set(body, earlierMs);
    if (this.#places !== undefined) this.#places.set(body, this.#bodies.length - 1);
    const length = this.#bodies.length - this.#head;
    if (length > (this.#places === undefined ? 0 : 2 * this.#size) + lookedAtMax) this.#tidy();
  }

  #forget(nowMs: number): void {
    this.#sinceMs = nowMs;
    for (; this.#head < this.#bodies.length; this.#head++) {
      if (this.#bodies[this.#head] === undefined) continue;
      const atMs = this.#timeMs(this.#head);
      if (isRecent(atMs, nowMs) && this.#size < repeatBodiesMax) {
        this.#sinceMs = atMs;
        break;
      }
      this.#remove(this.#head);
    }
    if (this.#head >= leftMin && this.#head * 2 >= this.#bodies.length) this.#tidy();
  }

  #appliedAt(place: number, body: string): Applied {
    const earlierMs = this.#earlierMs?.get(body) ?? noTimes;
    return { offset: this.#numbers[place * numbersEach + offsetAt]!, atMs: this.#timeMs(place), earlierMs };
  }

  #timeMs(place: number): number {
    return this.#numbers[place * numbersEach + timeAt]!;
  }

  /** -1 when it is not here. */
  #find(body: string): number {
    if (this.#places !== undefined) return this.#places.get(body) ?? -1;
    const hash = hashOf(body);
    const numbers = this.#numbers;
    for (let place = this.#bodies.length - 1; place >= this.#head; place--) {
      if (numbers[place * numbersEach] === hash && this.#bodies[place] === body) return place;
    }
    return -1;
  }

  #remove(place: number): void {
    const body = this.#bodies[place]!;
    this.#bodies[place] = undefined;
    this.#size--;
    this.#earlierMs?.delete(body);
    this.#places?.delete(body);
  }

  /** Closes up, and finds out anew whether they are many. */
  #tidy(): void {
    const bodies = this.#bodies;
    let end = 0;
    for (let place = this.#head; place < bodies.length; place++) {
      if (bodies[place] === undefined) continue;
      bodies[end] = bodies[place];
      this.#numbers.copyWithin(end * numbersEach, place * numbersEach, (place + 1) * numbersEach);
      end++;
    }
    bodies.length = end;
    this.#numbers.length = end * numbersEach;
    this.#head = 0;
    this.#places = end <= lookedAtMax ? undefined : new Map(bodies.map((body, place) => [body!, place]));
  }
}

/** How many events with this body were applied in the last 24 h; `applied` is what `find` gave for it. */
export function repeatsOf(applied: Applied | undefined, nowMs: number): number {
  return applied === undefined ? 0 : 1 + recent(applied, nowMs).length;
}

function recent({ earlierMs }: Applied, nowMs: number): readonly number[] {
  return earlierMs.length === 0 ? earlierMs : earlierMs.filter((atMs) => isRecent(atMs, nowMs));
}

function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < repeatReachMs;
}

function hashOf(body: string): number {
  let hash = 0;
  for (let at = Math.max(0, body.length - hashedCharacters); at < body.length; at++) {
    hash = (Math.imul(hash, 31) + body.charCodeAt(at)) | 0;
  }
  return hash;
}
