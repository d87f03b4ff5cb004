import { withGuard, withoutGuard } from '../../format/csv.ts';

/** A line of a file that can be an item, or what is wrong with it. */
export type CsvLine =
  | { readonly line: number; readonly parts: readonly string[]; readonly expiresAt?: string }
  | { readonly line: number; readonly refused: 'columns' | 'end'; readonly text: string };

/** Cells of RFC 4180; a line holds one item. */
const cell = /(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))/g;

/**
 * Reads what `ringfence list export` and the console write: the item, or the two parts of a pair; then, if it ends,
 * when. Empty lines, and lines that begin with #, are passed over.
 */
export function readItemsCsv(text: string, width: number): readonly CsvLine[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.flatMap((row, at): readonly CsvLine[] => {
    if (row.trim() === '' || row.startsWith('#')) return [];
    const line = at + 1;
    const cells = [...row.matchAll(cell)].map(([, quoted, plain = '']) =>
      withoutGuard(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')),
    );
    const parts = cells.slice(0, width);
    const end = cells[width] ?? '';
    if (parts.length < width || cells.length > width + 1 || parts.includes(''))
      return [{ line, refused: 'columns', text: row }];
    if (end === '') return [{ line, parts }];
    const atMs = Date.parse(end);
    return Number.isNaN(atMs)
      ? [{ line, refused: 'end', text: row }]
      : [{ line, parts, expiresAt: new Date(atMs).toISOString() }];
  });
}

export function writeItemsCsv(rows: readonly (readonly string[])[]): string {
  const quoted = (value: string): string =>
    /[",\r\n#]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  return rows.map((row) => `${row.map((value) => quoted(withGuard(value))).join(',')}\n`).join('');
}
