/** What a spreadsheet would compute instead of showing it. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const formula = /^'*[=+\-@\t\r]/;
const guarded = /^'+[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

/** Rows as RFC 4180 has them. */
export function csvOf(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value = ''): string {
  const safe = withGuard(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe; numbers do not. */
export function withGuard(text: string): string {
  return formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** The text that `withGuard` was given. */
export function withoutGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text;
}
