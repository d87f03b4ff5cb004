/**
 * Text that a spreadsheet would evaluate as a formula. Source: https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*[=+\-@\t\r]/;
const guarded = /^'+[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * One line, with its line break. A cell that a spreadsheet would evaluate as a formula gets an apostrophe, which
 * `readCsv` removes.
 */
export function csvLine(cells: readonly string[], lineBreak = '\n'): string {
  return `${cells.map(cellOf).join(',')}${lineBreak}`;
}

function cellOf(text: string): string {
  const safe = withFormulaGuard(text);
  return /[",\r\n#]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Puts an apostrophe before a text that a spreadsheet would evaluate as a formula; not before numbers. */
function withFormulaGuard(text: string): string {
  return formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** Reverts the guard. */
export function withoutFormulaGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text;
}
