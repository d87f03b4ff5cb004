/** An entity's numbered texts. */
interface Numbered {
  readonly texts: { find(text: string): number };
  numberOf(text: string): number;
}

/** Cache of the last currency and its number in the entity, because features of one event look up the same one. */
export class CurrencyNumber {
  #text: string | undefined;
  #number = -1;

  /** Must be called when another entity is accessed, and when its texts may have new numbers. */
  forget(): void {
    this.#text = undefined;
  }

  /** The entity's number of a currency; -1 if it has none. */
  find(entity: Numbered, text: string): number {
    if (text !== this.#text) {
      this.#number = entity.texts.find(text);
      this.#text = text;
    }
    return this.#number;
  }

  /** The same, but assigns a new number if necessary. */
  findOrAdd(entity: Numbered, text: string): number {
    if (text !== this.#text || this.#number < 0) {
      this.#number = entity.numberOf(text);
      this.#text = text;
    }
    return this.#number;
  }
}
