import { encodeText, endOfText, isEncodedAt, putEncoded, textAtByte } from '../bytes/encoded-text.ts';
import { appendedAll } from '../memory/appended.ts';
import { finished } from '../memory/text-hash.ts';
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
const noBytes = new Uint8Array(0);
const numbersEach = 4;
const hashAt = 0;
const textAt = 1;
const offsetAt = 2;
const timeAt = 3;
/** Stands in place of where its text begins, of a body that was taken out. */
const takenOut = -1;

/** Bodies up to which a look at the hash of each is quicker than an index, and smaller. */
const lookedAtMax = 32;
/** Places at the front that were left, and that are worth moving the others for. */
const leftMin = 8;
/** Last characters of a body that are hashed: a body is a digest, of which any eight tell it from others. */
const hashedCharacters = 8;
/** Bytes that there is room for at first: one digest. */
const textBytesMin = 48;

/**
 * Bodies that a client sent within the last 24 h, by digest, the longest unused first. Retries are found by it, and
 * what is applied although it was sent before is counted. Log time never falls, so the oldest stand at the front.
 *
 * They are bytes and numbers: of hundreds of thousands of texts the collector would have to look at each.
 */
export class RepeatMemory {
  /** Of each body its hash, where its text begins, its offset and its time, from `#head` on as they were applied last. */
  #numbers: number[] = none;
  /** Their texts, in the same order. */
  #texts = noBytes;
  #textsEnd = 0;
  #head = 0;
  #size = 0;
  /** Times before the last, of bodies that were applied more than once. */
  #earlierMs: Map<string, readonly number[]> | undefined;
  /** Where each body stands, plus one, by its hash, once they are many; 0 is a free slot. Linear probing. */
  #slots: Int32Array | undefined;
  /** No body here was applied before this instant, so that there is nothing to forget until a day after it. */
  #sinceMs = 0;

  get size(): number {
    return this.#size;
  }

  /** Visits all that it remembers, the longest unused first. */
  each(visit: (body: string, applied: Applied) => void): void {
    for (let place = this.#head; place < this.#places; place++) {
      if (!this.#isHere(place)) continue;
      const body = this.#bodyAt(place);
      visit(body, this.#appliedAt(place, body));
    }
  }

  /** Begins with what was kept, the longest unused first: bodies, and of each its offset and its time. */
  restore(bodies: readonly string[], numbers: readonly number[]): void {
    bodies.forEach((body, place) => this.#append(body, { offset: numbers[2 * place]!, atMs: numbers[2 * place + 1]! }));
    this.#indexAll();
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
    if (before !== undefined) this.#takeOut(this.#find(body));
    if (!isRecent(this.#sinceMs, nowMs) || this.#size >= repeatBodiesMax) this.#forget(nowMs);
    const earlierMs =
      before === undefined ? noTimes : [...recent(before, nowMs), before.atMs].slice(-repeatsPerBodyMax);
    this.#append(body, { offset, atMs: nowMs });
    if (earlierMs.length > 0) (this.#earlierMs ??= new Map()).set(body, earlierMs);
    const length = this.#places - this.#head;
    if (length > (this.#slots === undefined ? 0 : 2 * this.#size) + lookedAtMax) this.#tidy();
  }

  /** Places that there are, those before `#head` and those left among them. */
  get #places(): number {
    return this.#numbers.length / numbersEach;
  }

  #append(body: string, { offset, atMs }: Pick<Applied, 'offset' | 'atMs'>): void {
    const size = encodeText(body);
    const begin = this.#textsEnd;
    const end = begin + size;
    if (end > this.#texts.length) {
      const grown = new Uint8Array(Math.max(textBytesMin, end + (end >>> 1)));
      grown.set(this.#texts.subarray(0, begin));
      this.#texts = grown;
    }
    putEncoded(this.#texts, begin, size);
    this.#textsEnd = end;
    this.#numbers = appendedAll(this.#numbers, [hashOf(body), begin, offset, atMs]);
    this.#size++;
    if (this.#slots !== undefined) this.#index(this.#places - 1);
  }

  #forget(nowMs: number): void {
    this.#sinceMs = nowMs;
    for (; this.#head < this.#places; this.#head++) {
      if (!this.#isHere(this.#head)) continue;
      const atMs = this.#timeMs(this.#head);
      if (isRecent(atMs, nowMs) && this.#size < repeatBodiesMax) {
        this.#sinceMs = atMs;
        break;
      }
      this.#takeOut(this.#head);
    }
    if (this.#head >= leftMin && this.#head * 2 >= this.#places) this.#tidy();
  }

  #appliedAt(place: number, body: string): Applied {
    const earlierMs = this.#earlierMs?.get(body) ?? noTimes;
    return { offset: this.#numbers[place * numbersEach + offsetAt]!, atMs: this.#timeMs(place), earlierMs };
  }

  #isHere(place: number): boolean {
    return this.#numbers[place * numbersEach + textAt] !== takenOut;
  }

  #bodyAt(place: number): string {
    return textAtByte(this.#texts, this.#numbers[place * numbersEach + textAt]!);
  }

  #timeMs(place: number): number {
    return this.#numbers[place * numbersEach + timeAt]!;
  }

  /** -1 when it is not here. */
  #find(body: string): number {
    const hash = hashOf(body);
    if (this.#slots === undefined) {
      for (let place = this.#places - 1; place >= this.#head; place--) if (this.#is(place, hash, body)) return place;
      return -1;
    }
    const mask = this.#slots.length - 1;
    for (let slot = finished(hash) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (place < 0 || this.#is(place, hash, body)) return place;
    }
  }

  #is(place: number, hash: number, body: string): boolean {
    const at = place * numbersEach;
    if (this.#numbers[at + hashAt] !== hash) return false;
    const text = this.#numbers[at + textAt]!;
    return text !== takenOut && isEncodedAt(this.#texts, text, encodeText(body));
  }

  #takeOut(place: number): void {
    if (this.#earlierMs !== undefined) this.#earlierMs.delete(this.#bodyAt(place));
    this.#numbers[place * numbersEach + textAt] = takenOut;
    this.#size--;
  }

  /** Closes up, and finds out anew whether they are many. */
  #tidy(): void {
    const numbers = this.#numbers;
    let end = 0;
    let textsEnd = 0;
    for (let place = this.#head; place < this.#places; place++) {
      if (!this.#isHere(place)) continue;
      const begin = numbers[place * numbersEach + textAt]!;
      const behind = endOfText(this.#texts, begin);
      this.#texts.copyWithin(textsEnd, begin, behind);
      numbers.copyWithin(end, place * numbersEach, (place + 1) * numbersEach);
      numbers[end + textAt] = textsEnd;
      textsEnd += behind - begin;
      end += numbersEach;
    }
    numbers.length = end;
    this.#textsEnd = textsEnd;
    this.#head = 0;
    this.#indexAll();
  }

  #indexAll(): void {
    const places = this.#places;
    this.#slots = places <= lookedAtMax ? undefined : new Int32Array(2 << (32 - Math.clz32(places)));
    if (this.#slots !== undefined) for (let place = 0; place < places; place++) this.#index(place);
  }

  #index(place: number): void {
    const slots = this.#slots!;
    if ((place + 1) * 3 > slots.length * 2) {
      this.#indexAll();
      return;
    }
    const mask = slots.length - 1;
    let slot = finished(this.#numbers[place * numbersEach + hashAt]!) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
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
