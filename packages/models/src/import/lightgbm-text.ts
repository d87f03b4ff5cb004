import { type Mistakes, shown } from '../mistakes.ts';

/** The parts of LightGBM's text: `name=value` lines of the header, then of each tree. */
export interface LightgbmText {
  readonly header: Section;
  readonly trees: readonly Section[];
  /** The texts of each categorical column of a pandas frame. */
  readonly pandasCategories: readonly (readonly string[])[] | undefined;
}

const treeLine = /^Tree=([0-9]+)$/;

export function readSections(text: string, mistakes: Mistakes): LightgbmText {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== 'tree') mistakes.stop('line 1', `is ${shown(lines[0])}; expected "tree", as LightGBM saves a model`);
  const end = lines.indexOf('end of trees');
  if (end === -1) mistakes.stop('', 'has no line "end of trees": the file is cut off');
  const starts = lines.slice(0, end).flatMap((line, at) => (treeLine.test(line) ? [at] : []));
  const header = new Section('', lines.slice(1, starts[0] ?? end), mistakes);
  const trees = starts.map((start, at) => {
    if (lines[start] !== `Tree=${at}`)
      mistakes.stop(`line ${start + 1}`, `is ${shown(lines[start])}; expected Tree=${at}`);
    return new Section(`Tree=${at}`, lines.slice(start + 1, starts[at + 1] ?? end), mistakes);
  });
  const pandas = lines.slice(end).find((line) => line.startsWith('pandas_categorical:'));
  return { header, trees, pandasCategories: categoriesOf(pandas?.slice('pandas_categorical:'.length)) };
}

/** A part that cannot be read is the same as none: it only has the texts of codes. */
function categoriesOf(text: string | undefined): readonly (readonly string[])[] | undefined {
  try {
    const lists: unknown = JSON.parse(text ?? 'null');
    if (!Array.isArray(lists) || !lists.every((list) => Array.isArray(list))) return undefined;
    return lists.map((list: readonly unknown[]) => list.map(String));
  } catch {
    return undefined;
  }
}

/** The `name=value` lines of the header or of a tree. */
export class Section {
  readonly place: string;
  private readonly values: ReadonlyMap<string, string>;
  private readonly mistakes: Mistakes;

  constructor(place: string, lines: readonly string[], mistakes: Mistakes) {
    this.place = place;
    this.mistakes = mistakes;
    this.values = new Map(
      lines
        .filter((line) => line !== '')
        .map((line) => {
          const at = line.indexOf('=');
          return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
        }),
    );
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  text(name: string): string {
    return this.values.get(name) ?? this.wrong(name, 'a value');
  }

  /** Words with a blank between two. */
  words(name: string): readonly string[] {
    const text = this.text(name);
    return text === '' ? [] : text.split(' ');
  }

  count(name: string): number {
    const text = this.text(name);
    return /^[0-9]{1,9}$/.test(text) ? Number(text) : this.wrong(name, 'a whole number');
  }

  /** Numbers, which may be infinite or NaN. */
  numbers(name: string, length: number): readonly number[] {
    const words = this.words(name);
    const place = this.placeOf(name);
    if (words.length !== length) this.mistakes.stop(place, `has ${words.length} entries; expected ${length}`);
    return words.map((word, at) => {
      const number = numberOf(word);
      if (number === undefined) this.mistakes.stop(`${place}[${at}]`, `is ${shown(word)}; expected a number`);
      return number;
    });
  }

  wrong(name: string, expected: string): never {
    return this.mistakes.stop(this.placeOf(name), `is ${shown(this.values.get(name))}; expected ${expected}`);
  }

  private placeOf(name: string): string {
    return this.place === '' ? name : `${this.place}.${name}`;
  }
}

const words: Readonly<Record<string, number>> = { inf: Infinity, '-inf': -Infinity, nan: NaN, '-nan': NaN };

/** A number as C++ writes it; `undefined` for something else. */
export function numberOf(word: string): number | undefined {
  if (/^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(word)) return Number(word);
  return Object.hasOwn(words, word) ? words[word] : undefined;
}
