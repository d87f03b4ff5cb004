import { assert } from '@ringfence/contract';
import { appended } from '../memory/appended.ts';
import { HashSlots, slotInts } from '../memory/hash-slots.ts';
import { textHash } from '../memory/text-hash.ts';
import type { Texts } from './texts.ts';

/** Texts up to which a look at the hash of each is as quick as an index, and smaller. */
const lookedAtMax = 16;

/** Texts that may be many, as objects. */
export class Dictionary implements Texts {
  #texts: string[];
  /** Of each text. They lie in one piece, where the texts lie all over memory. */
  #hashes: number[];
  /** Once they are many: the number of each plus one, by its hash. */
  #index: HashSlots | undefined;

  /** What `find` was asked for last, a currency mostly, and its number: it is asked for again and again. */
  #asked: string | undefined;
  #answer = -1;

  constructor(texts: readonly string[] = []) {
    this.#texts = [...texts];
    this.#hashes = texts.map(textHash);
  }

  get count(): number {
    return this.#texts.length;
  }

  /** -1 when the text has no number. */
  find(text: string): number {
    if (text === this.#asked) return this.#answer;
    const number = this.#find(text, textHash(text));
    if (number >= 0) {
      this.#asked = text;
      this.#answer = number;
    }
    return number;
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    if (text === this.#asked) return this.#answer;
    const hash = textHash(text);
    const known = this.#find(text, hash);
    if (known >= 0) return known;
    const number = this.#texts.length;
    this.#texts = appended(this.#texts, text);
    this.#hashes = appended(this.#hashes, hash);
    this.#index?.add(hash, number + 1);
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
    const { slots, mask } = (this.#index ??= this.#indexed());
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot * slotInts + 1]! - 1;
      if (number < 0) return -1;
      if (slots[slot * slotInts] === hash && this.#texts[number] === text) return number;
    }
  }

  #indexed(): HashSlots {
    const index = new HashSlots();
    for (let number = 0; number < this.#hashes.length; number++) index.add(this.#hashes[number]!, number + 1);
    return index;
  }
}
