/** What a spreadsheet would compute instead of showing it. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const formula = /^[=+\-@\t\r]/;

/** Rows as RFC 4180 has them. A text that a spreadsheet would take for a formula gets an apostrophe; numbers do not. */
export function csvOf(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value = ''): string {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value);
  const safe = formula.test(value) && !isNumber ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
