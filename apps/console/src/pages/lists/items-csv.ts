import { csvLine, readCsv } from '@ringfence/contract';

/** A parsed line: an item, or its error. */
export type CsvLine =
  | { readonly line: number; readonly parts: readonly string[]; readonly expiresAt?: string }
  | { readonly line: number; readonly refused: 'columns' | 'end'; readonly text: string };

/**
 * Parses the output of `ringfence list export` and of the console: an item, or both parts of a pair, and an optional
 * expiry. Empty lines and lines that start with # are skipped.
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
