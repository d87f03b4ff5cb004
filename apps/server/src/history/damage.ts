/** Cells that look as if a program has damaged them on their way. They are imported as they are. */
export interface Damage {
  readonly file: string;
  readonly column: string;
  readonly looksLike: string;
  readonly lines: number;
  readonly firstLine: number;
}

const nullWord = 'a word for nothing, such as NULL: name it in `nulls`';
const padded = 'blanks around it: `trim: true` drops them';
const rounded = 'a number that a spreadsheet has rounded, such as 6.46E+17: its digits are lost';
const failed = 'an error of a spreadsheet, such as #REF!';
const formula = 'a formula of a spreadsheet, such as ="012"';
const undecodable = 'a character that was lost in another encoding';
const twiceEncoded = 'UTF-8 that was read in another encoding, such as Ã©';

const nullWords: ReadonlySet<string> = new Set([
  'null',
  '(null)',
  '<null>',
  '[null]',
  '\\n',
  'nil',
  'none',
  'nan',
  'n/a',
  '#n/a',
  '#null!',
  'undefined',
]);
const nullWordLengthMax = 9;

/** What damaged a text; `undefined` for one that looks sound. */
export function damageOf(text: string): string | undefined {
  if (text.length <= nullWordLengthMax && nullWords.has(text.toLowerCase())) return nullWord;
  const [first, last] = [text.charCodeAt(0), text.charCodeAt(text.length - 1)];
  if (isBlank(first) || isBlank(last)) return padded;
  if (/^-?\d(?:[.,]\d+)?E[+-]?\d{1,3}$/i.test(text)) return rounded;
  if (first === 0x23 && /^#(?:REF!|VALUE!|NAME\?|DIV\/0!|NUM!|SPILL!|CALC!|#+$)/.test(text)) return failed;
  if (first === 0x3d && text.startsWith('="')) return formula;
  if (text.includes('\ufffd')) return undecodable;
  return /[ÃÂ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œ]/.test(text) ? twiceEncoded : undefined;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0xa0;
}

/** Counts damage by file, column and kind. */
export class DamageCount {
  readonly #counts = new Map<string, { -readonly [Member in keyof Damage]: Damage[Member] }>();

  add(found: Omit<Damage, 'lines' | 'firstLine'>, line: number): void {
    const key = `${found.file}\0${found.column}\0${found.looksLike}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { ...found, lines: 1, firstLine: line });
    else known.lines += 1;
  }

  /** The most frequent first. */
  counts(): readonly Damage[] {
    return [...this.#counts.values()].toSorted((a, b) => b.lines - a.lines);
  }
}
