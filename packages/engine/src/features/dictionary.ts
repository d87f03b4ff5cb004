import { assert } from '@ringfence/contract';
import { appended } from '../memory/appended.ts';
import { hashOf } from './sampling.ts';

/** Texts up to which a look at the hash of each is quicker than a map, and smaller by far. */
const lookedAtMax = 64;

/** The texts of one entity (values counted distinct, currencies), each with a number. */
export class Dictionary {
  #texts: string[];
  /** Of each text. They lie in one piece, where the texts lie all over memory. */
  #hashes: number[];
  #numbers: Map<string, number> | undefined;

  constructor(texts: readonly string[] = []) {
    this.#texts = [...texts];
    this.#hashes = texts.map(hashOf);
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** -1 when the text has no number. */
  find(text: string): number {
    return this.#find(text, this.#texts.length > lookedAtMax ? 0 : hashOf(text));
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    const hash = hashOf(text);
    const known = this.#find(text, hash);
    if (known >= 0) return known;
    const number = this.#texts.length;
    this.#texts = appended(this.#texts, text);
    this.#hashes = appended(this.#hashes, hash);
    this.#numbers?.set(text, number);
    return number;
  }

  textOf(number: number): string {
    const text = this.#texts[number];
    assert(text !== undefined, 'the number of a text that the entity keeps');
    return text;
  }

  #find(text: string, hash: number): number {
    if (this.#texts.length > lookedAtMax) {
      this.#numbers ??= new Map(this.#texts.map((known, number) => [known, number]));
      return this.#numbers.get(text) ?? -1;
    }
    const hashes = this.#hashes;
    for (let number = 0; number < hashes.length; number++) {
      if (hashes[number] === hash && this.#texts[number] === text) return number;
    }
    return -1;
  }
}
