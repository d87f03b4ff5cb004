/**
 * Finds whether any of many words stands in a text, in one pass over it however many words there are.
 *
 * The words are a tree of their beginnings, in which every place also knows where to go on when the next unit of the
 * text fits none of its children: to the longest end of what was read that is another word's beginning.
 * Source: Aho, Corasick, "Efficient string matching: an aid to bibliographic search" (1975).
 */
export class WordSearch {
  /** By hash of place and unit: both, and the child. Half of it stays empty, so that looking is a step or two. */
  readonly #keys: Float64Array;
  readonly #children: Int32Array;
  readonly #mask: number;
  readonly #elsewhere: Int32Array;
  readonly #isEnd: Uint8Array;
  #places = 1;

  constructor(words: readonly string[]) {
    const placesMax = words.reduce((sum, word) => sum + word.length, 1);
    let room = 2;
    while (room < 2 * placesMax) room *= 2;
    this.#mask = room - 1;
    this.#keys = new Float64Array(room).fill(-1);
    this.#children = new Int32Array(room);
    this.#elsewhere = new Int32Array(placesMax);
    this.#isEnd = new Uint8Array(placesMax);
    this.#grow(words);
  }

  /** Whether any of the words stands in the text. The empty word stands everywhere. */
  isIn(text: string): boolean {
    let place = 0;
    if (this.#isEnd[0] === 1) return true;
    for (let at = 0; at < text.length; at++) {
      place = this.#next(place, text.charCodeAt(at));
      if (this.#isEnd[place] === 1) return true;
    }
    return false;
  }

  /** All words by one unit more at a time, so that the shorter ends are there when a longer one looks for its own. */
  #grow(words: readonly string[]): void {
    for (const word of words) if (word === '') this.#isEnd[0] = 1;
    let growing = words.filter((word) => word !== '').map((word) => ({ word, place: 0 }));
    for (let length = 0; growing.length > 0; length++) {
      const grown = growing.map(({ word, place }) => {
        const unit = word.charCodeAt(length);
        return { word, from: place, unit, place: this.#child(place, unit) ?? this.#add(place, unit) };
      });
      for (const { word, from, unit, place } of grown) {
        this.#elsewhere[place] = from === 0 ? 0 : this.#next(this.#elsewhere[from]!, unit);
        if (word.length === length + 1 || this.#isEnd[this.#elsewhere[place]] === 1) this.#isEnd[place] = 1;
      }
      growing = grown.filter(({ word }) => word.length > length + 1);
    }
  }

  #next(from: number, unit: number): number {
    for (let place = from; ; place = this.#elsewhere[place]!) {
      const child = this.#child(place, unit);
      if (child !== undefined) return child;
      if (place === 0) return 0;
    }
  }

  #child(place: number, unit: number): number | undefined {
    const at = this.#find(place, unit);
    return this.#keys[at] === -1 ? undefined : this.#children[at];
  }

  #add(place: number, unit: number): number {
    const at = this.#find(place, unit);
    this.#keys[at] = place * unitsMax + unit;
    this.#children[at] = this.#places;
    return this.#places++;
  }

  /** Where the pair stands, or where it would. */
  #find(place: number, unit: number): number {
    const key = place * unitsMax + unit;
    // Both spread over the bits below, by the golden ratio, as hashes of whole numbers commonly are.
    let at = (Math.imul(place, 0x9e37_79b1) ^ Math.imul(unit, 0x85eb_ca6b)) >>> 8;
    for (at &= this.#mask; this.#keys[at] !== -1 && this.#keys[at] !== key; at = (at + 1) & this.#mask);
    return at;
  }
}

/** Different UTF-16 units. */
const unitsMax = 0x1_0000;
