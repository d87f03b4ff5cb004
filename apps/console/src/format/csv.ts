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

/** Downloads a text as a CSV file. */
export function saveCsv(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
