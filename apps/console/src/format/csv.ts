import { csvLine } from '@ringfence/contract';

/** Rows in the format of RFC 4180. */
export function csvOf(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  return [head, ...rows]
    .map((row) =>
      csvLine(
        row.map((cell) => cell ?? ''),
        '\r\n',
      ),
    )
    .join('');
}
