/**
 * Text that a spreadsheet would evaluate as a formula. Source: https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*[=+\-@\t\r]/;
const guarded = /^'+[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

export interface CsvLine {
  /** Line number in the file, from 1. */
  readonly line: number;
  /** The original text. */
  readonly text: string;
  readonly cells: readonly string[];
}

/**
 * Parses a CSV file (RFC 4180) into lines of cells; skips empty lines and lines that begin with #. Used for the files
 * that the command line and the console exchange.
 */
export function readCsv(file: string): readonly CsvLine[] {
  return file
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((text, at) => ({ line: at + 1, text, cells: cellsOf(text) }))
    .filter(({ text }) => text.trim() !== '' && !text.startsWith('#'));
}

function cellsOf(line: string): readonly string[] {
  const cells = line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = '']) =>
    withoutFormulaGuard(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')),
  );
}

/** One line. A cell that a spreadsheet would evaluate as a formula gets an apostrophe, which `readCsv` removes. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\n`;
}

function cellOf(text: string): string {
  const safe = withFormulaGuard(text);
  return /[",\r\n#]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Puts an apostrophe before a text that a spreadsheet would evaluate as a formula; not before numbers. */
export function withFormulaGuard(text: string): string {
  return formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** Reverts `withFormulaGuard`. */
function withoutFormulaGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text;
}
