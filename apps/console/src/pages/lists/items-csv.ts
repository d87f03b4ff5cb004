import { csvLine, type ItemRefusal, itemColumns, readItems } from '@ringfence/contract';

/** A parsed line: an item, or its error. */
export type CsvLine =
  | { readonly line: number; readonly parts: readonly string[]; readonly expiresAt?: string }
  | { readonly line: number; readonly refused: ItemRefusal; readonly text: string };

/** The lines of a file, as `ringfence list import` reads them. `of`: the facts of the list, or how many they are. */
export function readItemsCsv(
  file: Uint8Array | string,
  of: readonly string[] | number,
  nowMs = Date.now(),
): readonly CsvLine[] {
  const facts = typeof of === 'number' ? Array.from({ length: of }, (_, at) => `part ${at + 1}`) : of;
  return readItems(file, { of: facts, nowMs }).map((read): CsvLine => {
    const { line } = read;
    if ('refused' in read) return { line, refused: read.refused, text: read.text };
    const { parts, expiresAtMs } = read;
    return expiresAtMs === undefined
      ? { line, parts }
      : { line, parts, expiresAt: new Date(expiresAtMs).toISOString() };
  });
}

/** `of`: the facts of the list, which the first line names. */
export function writeItemsCsv(of: readonly string[], rows: readonly (readonly string[])[]): string {
  return [itemColumns(of), ...rows].map((row) => csvLine(row)).join('');
}
