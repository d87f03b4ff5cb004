/** What a spreadsheet would compute instead of showing it. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const formula = /^'*[=+\-@\t\r]/;
const guarded = /^'+[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

export interface CsvLine {
  /** Its number in the file, from 1. */
  readonly line: number;
  /** As it was written. */
  readonly text: string;
  readonly cells: readonly string[];
}

/**
 * Lines of a CSV file (RFC 4180) as cells; empty lines, and lines that begin with #, are left out. The command line and the
 * console read with it what the other has written.
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

/** One line. What a spreadsheet would take for a formula gets an apostrophe, which `readCsv` takes off again. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\n`;
}

function cellOf(text: string): string {
  const safe = withFormulaGuard(text);
  return /[",\r\n#]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe; numbers do not. */
export function withFormulaGuard(text: string): string {
  return formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** The text that `withFormulaGuard` was given. */
function withoutFormulaGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text;
}
