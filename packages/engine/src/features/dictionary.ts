import { assert } from '@ringfence/contract';

/** Texts up to which a look at each is quicker than a map, and smaller by far. */
const lookedAtMax = 16;

/** The texts of one entity (values counted distinct, currencies), each with a number. */
export class Dictionary {
  readonly #texts: string[];
  #numbers: Map<string, number> | undefined;

  constructor(texts: readonly string[] = []) {
    this.#texts = [...texts];
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** -1 when the text has no number. */
  find(text: string): number {
    if (this.#texts.length <= lookedAtMax) return this.#texts.indexOf(text);
    this.#numbers ??= new Map(this.#texts.map((known, number) => [known, number]));
    return this.#numbers.get(text) ?? -1;
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    const known = this.find(text);
    if (known >= 0) return known;
    const number = this.#texts.push(text) - 1;
    this.#numbers?.set(text, number);
    return number;
  }

  textOf(number: number): string {
    const text = this.#texts[number];
    assert(text !== undefined, 'the number of a text that the entity keeps');
    return text;
  }
}
