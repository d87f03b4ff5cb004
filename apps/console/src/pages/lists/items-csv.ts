import { csvLine, parseIsoDate, readCsv } from '@ringfence/contract';

type Refusal = 'columns' | 'end' | 'quotes' | 'encoding' | 'length';

/** A parsed line: an item, or its error. */
export type CsvLine =
  | { readonly line: number; readonly parts: readonly string[]; readonly expiresAt?: string }
  | { readonly line: number; readonly refused: Refusal; readonly text: string };

/**
 * Parses the output of `ringfence list export` and of the console: an item, or both parts of a pair, and an optional
 * expiry. Empty lines and lines that start with # are skipped.
 */
export function readItemsCsv(file: Uint8Array, width: number): readonly CsvLine[] {
  return readCsv(file).map((read): CsvLine => {
    const { line, text } = read;
    if ('mistake' in read) return { line, refused: read.mistake, text };
    const { cells } = read;
    const parts = cells.slice(0, width);
    const end = cells[width] ?? '';
    if (parts.length < width || cells.length > width + 1 || parts.includes(''))
      return { line, refused: 'columns', text };
    if (end === '') return { line, parts };
    const atMs = instantOf(end);
    return atMs === undefined
      ? { line, refused: 'end', text }
      : { line, parts, expiresAt: new Date(atMs).toISOString() };
  });
}

/** `Date.parse` would read "ticket 2030" as a date. A date without a zone begins in UTC. */
function instantOf(text: string): number | undefined {
  const date = parseIsoDate(text);
  return typeof date === 'string' ? undefined : date.localMs - (date.offsetMs ?? 0);
}

export function writeItemsCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => csvLine(row)).join('');
}
