import { assert } from '@ringfence/contract';
import { appended } from '../memory/appended.ts';
import { hashOf } from './sampling.ts';

/** Texts up to which a look at the hash of each is as quick as an index, and smaller. */
const lookedAtMax = 16;
/** Numbers per slot of the index: the hash, and the text's number plus one. */
const slotInts = 2;

/** The texts of one entity (values counted distinct, currencies), each with a number. */
export class Dictionary {
  #texts: string[];
  /** Of each text. They lie in one piece, where the texts lie all over memory. */
  #hashes: number[];
  /** Once they are many: open addressing with linear probing, at most half full. */
  #index: Int32Array | undefined;

  /** What `find` was asked for last, a currency mostly, and its number: it is asked for again and again. */
  #asked: string | undefined;
  #answer = -1;

  constructor(texts: readonly string[] = []) {
    this.#texts = [...texts];
    this.#hashes = texts.map(hashOf);
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** -1 when the text has no number. */
  find(text: string): number {
    if (text === this.#asked) return this.#answer;
    const number = this.#find(text, hashOf(text));
    if (number >= 0) {
      this.#asked = text;
      this.#answer = number;
    }
    return number;
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    if (text === this.#asked) return this.#answer;
    const hash = hashOf(text);
    const known = this.#find(text, hash);
    if (known >= 0) return known;
    const number = this.#texts.length;
    this.#texts = appended(this.#texts, text);
    this.#hashes = appended(this.#hashes, hash);
    if (this.#index !== undefined) this.#index = this.#indexed(this.#index);
    return number;
  }

  textOf(number: number): string {
    const text = this.#texts[number];
    assert(text !== undefined, 'the number of a text that the entity keeps');
    return text;
  }

  #find(text: string, hash: number): number {
    const hashes = this.#hashes;
    if (hashes.length > lookedAtMax) return this.#findIndexed(text, hash);
    for (let number = 0; number < hashes.length; number++) {
      if (hashes[number] === hash && this.#texts[number] === text) return number;
    }
    return -1;
  }

  #findIndexed(text: string, hash: number): number {
    const index = (this.#index ??= this.#indexed());
    const mask = index.length / slotInts - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = index[slot * slotInts + 1]! - 1;
      if (number < 0) return -1;
      if (index[slot * slotInts] === hash && this.#texts[number] === text) return number;
    }
  }

  /** An index of all texts: `known` with the last one put in, while it has room. */
  #indexed(known?: Int32Array): Int32Array {
    const hashes = this.#hashes;
    if (known !== undefined && hashes.length * 2 * slotInts <= known.length) {
      put(known, hashes.at(-1)!, hashes.length);
      return known;
    }
    const index = new Int32Array(slotsFor(hashes.length) * slotInts);
    for (let number = 0; number < hashes.length; number++) put(index, hashes[number]!, number + 1);
    return index;
  }
}

/** A power of two, with room for half as many texts more. */
function slotsFor(texts: number): number {
  return 1 << (32 - Math.clz32(texts * 3 - 1));
}

function put(index: Int32Array, hash: number, value: number): void {
  const mask = index.length / slotInts - 1;
  let slot = hash & mask;
  while (index[slot * slotInts + 1] !== 0) slot = (slot + 1) & mask;
  index[slot * slotInts] = hash;
  index[slot * slotInts + 1] = value;
}
