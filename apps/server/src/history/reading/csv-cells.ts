import type { CsvLayout, Mapping } from '../mapping/mapping.ts';

/**
 * The cells of one CSV record (RFC 4180): a quoted cell may contain the delimiter, line breaks, and quotes written
 * twice.
 *
 * @returns a sentence that describes the mistake when the record is malformed
 */
export function csvCells(record: string, { delimiter, quotes }: CsvLayout): readonly string[] | string {
  if (!quotes || !record.includes('"')) return record.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (record[at] !== '"') {
      const end = record.indexOf(delimiter, at);
      const cell = end < 0 ? record.slice(at) : record.slice(at, end);
      if (cell.includes('"')) return 'There is a quote within an unquoted cell.';
      cells.push(cell);
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    const end = closingQuote(record, at + 1);
    if (end < 0) return `The quote that opens cell ${cells.length + 1} is not closed.`;
    cells.push(record.slice(at + 1, end).replaceAll('""', '"'));
    if (end + 1 === record.length) return cells;
    if (record[end + 1] !== delimiter) return 'There is text after a closing quote.';
    at = end + 2;
  }
}

/** The delimiter in the file's encoding when cells may be quoted; `undefined` when quotes have no meaning. */
export function quotedDelimiter({ delimiter, quotes }: CsvLayout, encoding: Mapping['encoding']): Buffer | undefined {
  return quotes ? Buffer.from(delimiter, encoding === 'utf-8' ? 'utf8' : 'latin1') : undefined;
}

/** The position of the closing quote: one that is not doubled. */
function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf('"', from); at >= 0; at = record.indexOf('"', at + 2)) {
    if (record[at + 1] !== '"') return at;
  }
  return -1;
}
