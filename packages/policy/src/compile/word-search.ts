/**
 * Finds whether any of many words occurs in a text, in one pass over the text regardless of the number of words.
 *
 * The words form a trie. Every node also has a failure link, followed if the next unit of the text matches none of its
 * children: to the longest suffix of the text read so far that is a prefix of another word.
 * Source: Aho, Corasick, "Efficient string matching: an aid to bibliographic search" (1975).
 */
export class WordSearch {
  /**
   * An open-addressing hash table by node and unit: both, and the child. It stays half empty, so that a lookup takes a
   * step or two.
   */
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

  /** Whether any of the words occurs in the text. The empty word occurs everywhere. */
  isIn(text: string): boolean {
    let place = 0;
    if (this.#isEnd[0] === 1) return true;
    for (let at = 0; at < text.length; at++) {
      place = this.#next(place, text.charCodeAt(at));
      if (this.#isEnd[place] === 1) return true;
    }
    return false;
  }

  /** Adds one unit to all words at a time, so that shorter suffixes exist when a longer one needs its link. */
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

  /** The position of the pair, or where it would be inserted. */
  #find(place: number, unit: number): number {
    const key = place * unitsMax + unit;
    // Both values are spread over the low bits by the golden ratio, a common hash of whole numbers.
    let at = (Math.imul(place, 0x9e37_79b1) ^ Math.imul(unit, 0x85eb_ca6b)) >>> 8;
    for (at &= this.#mask; this.#keys[at] !== -1 && this.#keys[at] !== key; at = (at + 1) & this.#mask);
    return at;
  }
}

/** The number of different UTF-16 units. */
const unitsMax = 0x1_0000;
