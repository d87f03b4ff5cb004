/** How the cells of a CSV record are written. */
interface CsvCellLayout {
  /** One character. */
  readonly delimiter: string;
  /** Whether `"` encloses cells. */
  readonly quotes: boolean;
  /** Whether blanks around a cell are dropped; those within quotes are kept. Default: they belong to the cell. */
  readonly trim?: boolean;
}

/**
 * The cells of one CSV record (RFC 4180): a quoted cell may contain the delimiter, line breaks, and quotes written
 * twice.
 *
 * @returns a sentence that describes the mistake, with the number of its cell, when the record is malformed
 */
export function csvCells(
  record: string,
  { delimiter, quotes, trim = false }: CsvCellLayout,
): readonly string[] | string {
  const plain = (cell: string): string => (trim ? cell.trim() : cell);
  if (!quotes || !record.includes('"')) {
    const all = record.split(delimiter);
    return trim ? all.map(plain) : all;
  }
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (trim) at = afterBlanks(record, at);
    if (record[at] !== '"') {
      const end = record.indexOf(delimiter, at);
      const cell = end < 0 ? record.slice(at) : record.slice(at, end);
      if (cell.includes('"'))
        return `There is a quote within cell ${cells.length + 1}, which is not enclosed in quotes.`;
      cells.push(plain(cell));
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    const closed = closingQuote(record, at + 1);
    if (closed < 0) return `The quote that opens cell ${cells.length + 1} is not closed.`;
    cells.push(record.slice(at + 1, closed).replaceAll('""', '"'));
    const end = trim ? afterBlanks(record, closed + 1) : closed + 1;
    if (end === record.length) return cells;
    if (record[end] !== delimiter) return `There is text after the closing quote of cell ${cells.length}.`;
    at = end + 1;
  }
}

function afterBlanks(record: string, from: number): number {
  let at = from;
  while (record[at] === ' ' || record[at] === '\t') at++;
  return at;
}

/** The position of the closing quote: one that is not doubled. */
function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf('"', from); at >= 0; at = record.indexOf('"', at + 2)) {
    if (record[at + 1] !== '"') return at;
  }
  return -1;
}
