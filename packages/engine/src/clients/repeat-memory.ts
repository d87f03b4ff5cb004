import type { ByteReader, ByteWriter } from '@ringfence/contract';
import { endOfText } from '../bytes/encoded-text.ts';
import { finished } from '../bytes/text-hash.ts';
import { repeatBodiesMax, repeatReachMs, repeatsPerBodyMax } from '../limits.ts';
import type { EventRecord } from '../record.ts';
import { type EncodedBody, hashOfBody } from './encoded-body.ts';

/** A body that was applied: the last time, and the times before it. */
export interface Applied {
  /** Of the last event that was applied with this body. */
  readonly offset: number;
  readonly atMs: number;
  /** Times of the earlier events, oldest first. */
  readonly earlierMs: readonly number[];
}

const noTimes: readonly number[] = [];
const noNumbers: number[] = [];
const noBytes = new Uint8Array(0);
const numbersEach = 4;
const hashAt = 0;
const textAt = 1;
const offsetAt = 2;
const timeAt = 3;
/** Value of `textAt` for a body that was removed. */
const takenOut = -1;

/** Up to this number of bodies, comparing the hash of each is faster than an index, and smaller. */
const lookedAtMax = 32;
/** Initial capacity: the text of one digest. */
const textBytesMin = 48;

/**
 * Bodies that a client sent within the last 24 h, by digest, least recently applied first. They detect retries and
 * count applied repeats. Log time never falls, so the oldest are at the front.
 *
 * Bodies are kept as bytes and numbers, because the garbage collector would have to visit each of hundreds of
 * thousands of strings. The numbers are a plain array of doubles, which V8 allocates more cheaply than a typed array;
 * most clients have few.
 */
export class RepeatMemory {
  /**
   * Four numbers for each body, from `#head` on, in the order in which they were last applied: its hash, where its
   * text begins, its offset and its time.
   */
  #numbers = noNumbers;
  /** The texts, in the same order. */
  #texts = noBytes;
  #textsEnd = 0;
  #head = 0;
  /** One past the last place. */
  #end = 0;
  #size = 0;
  /** Earlier times of bodies that were applied more than once, by the offset of the last. */
  #earlierMs: Map<number, readonly number[]> | undefined;
  /** Hash index, used above `lookedAtMax` bodies: the place of each body plus one; 0 is a free slot. Linear probing. */
  #slots: Int32Array | undefined;
  /** No body here was applied before this time, so nothing can expire until 24 h after it. */
  #sinceMs = 0;

  get size(): number {
    return this.#size;
  }

  /** Offset of the event that was applied last; `undefined` before the first. */
  get lastOffset(): number | undefined {
    return this.#size === 0 ? undefined : this.#number(this.#end - 1, offsetAt);
  }

  /** The event of the last 24 h with this body. */
  find(body: EncodedBody, nowMs: number): Applied | undefined {
    const place = this.#find(body);
    return place >= 0 && isRecent(this.#number(place, timeAt), nowMs) ? this.#appliedAt(place) : undefined;
  }

  /** Records an applied event; `before` is what `find` returned for its body. */
  note(
    body: EncodedBody,
    { offset, logTimeMs }: Pick<EventRecord, 'offset' | 'logTimeMs'>,
    before: Applied | undefined,
  ): void {
    if (before !== undefined) this.#takeOut(this.#find(body));
    if (!isRecent(this.#sinceMs, logTimeMs) || this.#size >= repeatBodiesMax) this.#forget(logTimeMs);
    this.#append(body, offset, logTimeMs);
    if (before !== undefined) {
      this.#setEarlier(offset, [...recent(before, logTimeMs), before.atMs].slice(-repeatsPerBodyMax));
    }
    const length = this.#end - this.#head;
    if (length > (this.#slots === undefined ? 0 : 2 * this.#size) + lookedAtMax) this.#closeUp();
  }

  /** Writes the bodies, then for each body the differences to the previous offset and time, and its earlier times. */
  write(writer: ByteWriter): void {
    if (this.#size < this.#end) this.#closeUp();
    writer.uint(this.#size);
    writer.bytes(this.#texts, this.#textsEnd);
    let offset = 0;
    let atMs = 0;
    for (let place = 0; place < this.#size; place++) {
      writer.int(this.#number(place, offsetAt) - offset);
      writer.int(this.#number(place, timeAt) - atMs);
      offset = this.#number(place, offsetAt);
      atMs = this.#number(place, timeAt);
      const earlierMs = this.#earlierMs?.get(offset) ?? noTimes;
      writer.uint(earlierMs.length);
      for (const earlier of earlierMs) writer.int(earlier);
    }
  }

  /** Reads what `write` wrote, into an empty memory. */
  read(reader: ByteReader): void {
    const size = reader.uint();
    const texts = reader.texts(size);
    // No spare capacity: V8 stores small typed arrays inside its heap and larger ones outside, which costs twenty times
    // as much. Most memories that are read back are from another day, and drop their bodies when the next one arrives.
    this.#texts = texts.slice();
    let offset = 0;
    let atMs = 0;
    for (let place = 0; place < size; place++) {
      offset += reader.int();
      atMs += reader.int();
      const end = endOfText(texts, this.#textsEnd);
      this.#put(hashOfBody(texts, this.#textsEnd, end), offset, atMs);
      this.#textsEnd = end;
      const earlierMs = reader.list(() => reader.int());
      if (earlierMs.length > 0) this.#setEarlier(offset, earlierMs);
    }
    this.#indexAll();
  }

  #append(body: EncodedBody, offset: number, atMs: number): void {
    this.#reserve(body.size);
    body.writeTo(this.#texts, this.#textsEnd);
    this.#put(body.hash, offset, atMs);
    this.#textsEnd += body.size;
    if (this.#slots !== undefined) this.#index(this.#end - 1);
  }

  /**
   * Makes room for `textBytes` more bytes of text: by compacting once removed bodies are half of all, else by growing.
   */
  #reserve(textBytes: number): void {
    if (this.#textsEnd + textBytes <= this.#texts.length) return;
    if (this.#head > 0 && this.#head * 2 >= this.#end) this.#closeUp();
    const textsEnd = this.#textsEnd + textBytes;
    if (textsEnd <= this.#texts.length) return;
    const texts = new Uint8Array(Math.max(textBytesMin, textsEnd + (textsEnd >>> 2)));
    texts.set(this.#texts);
    this.#texts = texts;
  }

  /** Appends the numbers of the body whose text is last. */
  #put(hash: number, offset: number, atMs: number): void {
    const at = this.#end * numbersEach;
    if (at === 0) this.#numbers = [hash, this.#textsEnd, offset, atMs];
    else {
      const numbers = this.#numbers;
      numbers[at + hashAt] = hash;
      numbers[at + textAt] = this.#textsEnd;
      numbers[at + offsetAt] = offset;
      numbers[at + timeAt] = atMs;
    }
    this.#end++;
    this.#size++;
  }

  #forget(nowMs: number): void {
    this.#sinceMs = nowMs;
    for (; this.#head < this.#end; this.#head++) {
      if (!this.#isHere(this.#head)) continue;
      const atMs = this.#number(this.#head, timeAt);
      if (isRecent(atMs, nowMs) && this.#size < repeatBodiesMax) {
        this.#sinceMs = atMs;
        break;
      }
      this.#takeOut(this.#head);
    }
  }

  #appliedAt(place: number): Applied {
    const offset = this.#number(place, offsetAt);
    return { offset, atMs: this.#number(place, timeAt), earlierMs: this.#earlierMs?.get(offset) ?? noTimes };
  }

  #setEarlier(offset: number, earlierMs: readonly number[]): void {
    (this.#earlierMs ??= new Map()).set(offset, earlierMs);
  }

  #isHere(place: number): boolean {
    return this.#number(place, textAt) !== takenOut;
  }

  #number(place: number, at: number): number {
    return this.#numbers[place * numbersEach + at]!;
  }

  /** -1 if absent. */
  #find(body: EncodedBody): number {
    if (this.#slots === undefined) {
      for (let place = this.#end - 1; place >= this.#head; place--) if (this.#is(place, body)) return place;
      return -1;
    }
    const mask = this.#slots.length - 1;
    for (let slot = finished(body.hash) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (place < 0 || this.#is(place, body)) return place;
    }
  }

  #is(place: number, body: EncodedBody): boolean {
    const at = place * numbersEach;
    if (this.#numbers[at + hashAt] !== body.hash) return false;
    const text = this.#numbers[at + textAt]!;
    return text !== takenOut && body.isAt(this.#texts, text);
  }

  #takeOut(place: number): void {
    this.#earlierMs?.delete(this.#number(place, offsetAt));
    this.#numbers[place * numbersEach + textAt] = takenOut;
    this.#size--;
  }

  /** Compacts the lists, run by run, and decides again whether an index is needed. */
  #closeUp(): void {
    let end = 0;
    let textsEnd = 0;
    for (let place = this.#head; place < this.#end; place++) {
      const from = place;
      while (place < this.#end && this.#isHere(place)) place++;
      if (place === from) continue;
      textsEnd = this.#moveTexts(from, place, textsEnd);
      this.#moveNumbers(from, place, end);
      end += place - from;
    }
    this.#textsEnd = textsEnd;
    this.#head = 0;
    this.#end = end;
    this.#indexAll();
  }

  /** Moves the adjacent texts of these places to `begin`. @returns where they end */
  #moveTexts(from: number, to: number, begin: number): number {
    const before = this.#number(from, textAt);
    const behind = endOfText(this.#texts, this.#number(to - 1, textAt));
    this.#texts.copyWithin(begin, before, behind);
    for (let place = from; place < to; place++) this.#numbers[place * numbersEach + textAt]! -= before - begin;
    return begin + behind - before;
  }

  #moveNumbers(from: number, to: number, place: number): void {
    if (place === from) return;
    const numbers = this.#numbers;
    const by = (from - place) * numbersEach;
    for (let at = from * numbersEach; at < to * numbersEach; at++) numbers[at - by] = numbers[at]!;
  }

  #indexAll(): void {
    const places = this.#end;
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
    let slot = finished(this.#number(place, hashAt)) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
  }
}

/** How many events with this body were applied in the last 24 h; `applied` is what `find` returned for it. */
export function repeatsOf(applied: Applied | undefined, nowMs: number): number {
  return applied === undefined ? 0 : 1 + recent(applied, nowMs).length;
}

function recent({ earlierMs }: Applied, nowMs: number): readonly number[] {
  return earlierMs.length === 0 ? earlierMs : earlierMs.filter((atMs) => isRecent(atMs, nowMs));
}

function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < repeatReachMs;
}
