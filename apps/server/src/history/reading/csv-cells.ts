import type { CsvLayout, Mapping } from '../mapping/mapping.ts';

/**
 * The cells of one record of a CSV file (RFC 4180): a cell in quotes may hold the delimiter, line ends, and quotes
 * written twice.
 *
 * @returns a sentence that says what is wrong, where it is not well-formed
 */
export function csvCells(record: string, { delimiter, quotes }: CsvLayout): readonly string[] | string {
  if (!quotes || !record.includes('"')) return record.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (record[at] !== '"') {
      const end = record.indexOf(delimiter, at);
      const cell = end < 0 ? record.slice(at) : record.slice(at, end);
      if (cell.includes('"')) return 'A quote stands within a cell that does not begin with one.';
      cells.push(cell);
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    const end = closingQuote(record, at + 1);
    if (end < 0) return `The quote that opens cell ${cells.length + 1} is not closed.`;
    cells.push(record.slice(at + 1, end).replaceAll('""', '"'));
    if (end + 1 === record.length) return cells;
    if (record[end + 1] !== delimiter) return 'Something follows a closing quote.';
    at = end + 2;
  }
}

/** What stands between cells that quotes may enclose, as a file has it; `undefined` where quotes mean nothing. */
export function quotedDelimiter({ delimiter, quotes }: CsvLayout, encoding: Mapping['encoding']): Buffer | undefined {
  return quotes ? Buffer.from(delimiter, encoding === 'utf-8' ? 'utf8' : 'latin1') : undefined;
}

/** Where the cell ends: a quote that is not one of two. */
function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf('"', from); at >= 0; at = record.indexOf('"', at + 2)) {
    if (record[at + 1] !== '"') return at;
  }
  return -1;
}
