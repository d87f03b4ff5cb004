/** What a spreadsheet would compute instead of showing it. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const formula = /^'*[=+\-@\t\r]/;
const guarded = /^'+[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

export interface CsvLine {
  /** Its number in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Lines of a CSV file (RFC 4180) as cells; empty lines, and lines that begin with #, are left out. */
export function readCsv(text: string): readonly CsvLine[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((written, at) => ({ written, line: at + 1 }))
    .filter(({ written }) => written.trim() !== '' && !written.startsWith('#'))
    .map(({ written, line }) => ({ line, cells: cellsOf(written) }));
}

function cellsOf(line: string): readonly string[] {
  const cells = line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = '']) =>
    withoutGuard(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')),
  );
}

/** One line. What a spreadsheet would take for a formula gets an apostrophe, which `readCsv` takes off again. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\n`;
}

function cellOf(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",\r\n#]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function withoutGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text;
}
