import { parseIsoDate } from '../iso-date.ts';
import { dayMs, hourMs, minuteMs } from '../time.ts';
import { type CsvForm, type CsvLine, readCsv } from './read-csv.ts';

/** Why a line of a file of items is refused. */
export type ItemRefusal = 'columns' | 'end' | 'delimiter' | 'header' | 'quotes' | 'encoding' | 'length';

/** A line of a file of items: the item, or why there is none. */
export type ItemLine =
  | { readonly line: number; readonly parts: readonly string[]; readonly expiresAtMs?: number }
  | { readonly line: number; readonly refused: ItemRefusal; readonly text: string; readonly detail: string };

export interface ItemFileForm extends CsvForm {
  /** Facts that the list is of: one, or two for pairs. */
  readonly of: readonly string[];
  /** For ends such as `7d`. */
  readonly nowMs: number;
  /** Whether the first line may name the columns. Default: yes. */
  readonly header?: boolean;
}

/** The last column of an export. */
export const endColumn = 'until';

/**
 * Reads a file of items of a live list, as the command line and the console export it: the item or both parts of a pair,
 * and optionally its end. A first line that names the facts of the list is skipped. What looks like other names of
 * columns, or like a file with another delimiter, is refused: as an item it would match nothing.
 */
export function readItems(file: Uint8Array | string, form: ItemFileForm): readonly ItemLine[] {
  const { of, header = true, delimiter } = form;
  const [first, ...others] = readCsv(file, form);
  if (first === undefined) return [];
  const hasNames = header && 'cells' in first && namesFacts(first.cells, of);
  const lines = hasNames ? others : [first, ...others];
  // Names of columns that are separated by it show that the delimiter is right.
  const isSure = delimiter !== undefined || (hasNames && first.cells.length > 1);
  const foreign = isSure ? undefined : foreignDelimiter(lines, form);
  return lines.map((line): ItemLine => {
    const { line: number, text } = line;
    if ('mistake' in line) return { line: number, refused: line.mistake, text, detail: line.detail };
    if (foreign !== undefined && line.cells.length === 1 && text.includes(foreign.sign))
      return {
        line: number,
        refused: 'delimiter',
        text,
        detail: `${foreign.name} separate the values; commas are expected`,
      };
    if (header && line === first && looksLikeNames(line.cells, of))
      return {
        line: number,
        refused: 'header',
        text,
        detail: 'this looks like the names of columns, not like an item',
      };
    return readItem(line, form);
  });
}

function readItem({ line, text, cells }: Extract<CsvLine, { cells: unknown }>, { of, nowMs }: ItemFileForm): ItemLine {
  const width = of.length;
  const parts = cells.slice(0, width);
  const end = cells[width] ?? '';
  if (cells.length < width || cells.length > width + 1) {
    const detail = `expected ${width} or ${width + 1} values, found ${cells.length}`;
    return { line, refused: 'columns', text, detail };
  }
  if (parts.includes('')) return { line, refused: 'columns', text, detail: 'a value is empty' };
  if (end === '') return { line, parts };
  const expiresAtMs = instantOfEnd(end, nowMs);
  return expiresAtMs === undefined
    ? { line, refused: 'end', text, detail: `"${end}" is not a valid end: expected ${endExpected}.` }
    : { line, parts, expiresAtMs };
}

/** The form of an end, for people. */
export const endExpected = '7d, 12h, or an instant with its zone, 2027-02-01T00:00:00Z';

const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs };

/** The instant that `7d` (from now) or an instant with its zone means; `undefined` for any other text. */
export function instantOfEnd(text: string, nowMs: number): number | undefined {
  const span = /^(\d{1,6})([mhd])$/.exec(text);
  if (span !== null) return nowMs + Number(span[1]) * unitsMs[span[2]!]!;
  const date = parseIsoDate(text);
  return typeof date === 'string' || date.offsetMs === undefined ? undefined : date.localMs - date.offsetMs;
}

/** The first line of an export: the facts of the list, and the end. */
export function itemColumns(of: readonly string[]): readonly string[] {
  return [...of, endColumn];
}

function namesFacts(cells: readonly string[], of: readonly string[]): boolean {
  return cells.length >= of.length && cells.every((cell, at) => cell === itemColumns(of)[at]);
}

/** Names that files of other programs have in their first line. */
const usualNames: ReadonlySet<string> = new Set(
  'account accountnumber address card client clientid code comment country customer customerid date device email end expires expiresat expiry hash iban id ip ipaddress item items key list merchant name note number payee phone reason reference type until user userid username value values'.split(
    ' ',
  ),
);

function looksLikeNames(cells: readonly string[], of: readonly string[]): boolean {
  const own = new Set(of.flatMap((path) => [bare(path), bare(path.slice(path.lastIndexOf('.') + 1))]));
  return cells.every((cell) => own.has(bare(cell)) || usualNames.has(bare(cell)));
}

/** In small letters, without the signs between words. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, '');
}

const delimiters = [
  { sign: ';', name: 'semicolons' },
  { sign: '\t', name: 'tabs' },
  { sign: '|', name: 'bars' },
] as const;

/** A delimiter that all lines have, or with an empty value or an end behind it. */
function foreignDelimiter(
  lines: readonly CsvLine[],
  { nowMs }: Pick<ItemFileForm, 'nowMs'>,
): (typeof delimiters)[number] | undefined {
  const single = lines.flatMap((line) => ('cells' in line && line.cells.length === 1 ? [line.text] : []));
  return delimiters.find(({ sign }) => {
    const having = single.filter((text) => text.includes(sign));
    if (having.length === 0) return false;
    if (having.length === lines.length) return true;
    const ends = having.map((text) => text.slice(text.lastIndexOf(sign) + 1).trim());
    return ends.some((end) => end === '' || instantOfEnd(end, nowMs) !== undefined);
  });
}
