import { csvLine, readCsv } from '@ringfence/contract';

/** A line of a file that can be an item, or what is wrong with it. */
export type CsvLine =
  | { readonly line: number; readonly parts: readonly string[]; readonly expiresAt?: string }
  | { readonly line: number; readonly refused: 'columns' | 'end'; readonly text: string };

/**
 * Reads what `ringfence list export` and the console write: the item, or the two parts of a pair; then, if it ends,
 * when. Empty lines, and lines that begin with #, are passed over.
 */
export function readItemsCsv(file: string, width: number): readonly CsvLine[] {
  return readCsv(file).map(({ line, text, cells }): CsvLine => {
    const parts = cells.slice(0, width);
    const end = cells[width] ?? '';
    if (parts.length < width || cells.length > width + 1 || parts.includes(''))
      return { line, refused: 'columns', text };
    if (end === '') return { line, parts };
    const atMs = Date.parse(end);
    return Number.isNaN(atMs)
      ? { line, refused: 'end', text }
      : { line, parts, expiresAt: new Date(atMs).toISOString() };
  });
}

export function writeItemsCsv(rows: readonly (readonly string[])[]): string {
  return rows.map(csvLine).join('');
}
