import { withFormulaGuard } from '@ringfence/contract';

/** Rows in the format of RFC 4180. */
export function csvOf(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value = ''): string {
  const safe = withFormulaGuard(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
