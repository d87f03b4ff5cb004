import { strictUtf8 } from '../strict-utf8.ts';
import { csvCells } from './csv-cells.ts';
import { type RawRecord, recordBytesMax, RecordSplitter } from './record-splitter.ts';
import { withoutFormulaGuard } from './write-csv.ts';

/** A record of a CSV file: its cells, or why it has none. */
export type CsvLine = {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  /** As written; empty when it cannot be shown. */
  readonly text: string;
} & (
  | { readonly cells: readonly string[] }
  | { readonly mistake: 'quotes' | 'encoding' | 'length'; readonly detail: string }
);

const comma = Uint8Array.of(0x2c);
const hash = 0x23;
const layout = { delimiter: ',', quotes: true, trim: true };
const utf8 = strictUtf8({ ignoreBOM: false });

/**
 * Reads a whole CSV file (RFC 4180, UTF-8). Skips empty lines and lines that begin with #, drops blanks around cells
 * that are not quoted, and reverts the formula guard of `csvLine`. For the files that the command line and the console
 * exchange.
 */
export function readCsv(file: Uint8Array): readonly CsvLine[] {
  const splitter = new RecordSplitter({ delimiter: comma, comment: hash });
  return [...splitter.push(file), ...splitter.end()]
    .map(readLine)
    .filter((line) => 'mistake' in line || (line.text.trim() !== '' && !line.text.startsWith('#')));
}

function readLine({ line, bytes }: RawRecord): CsvLine {
  if (bytes === undefined) {
    return { line, text: '', mistake: 'length', detail: `The line is longer than ${recordBytesMax / 1_024} KiB.` };
  }
  const text = decode(bytes);
  if (text === undefined) return { line, text: '', mistake: 'encoding', detail: 'The line is not UTF-8.' };
  if (text.startsWith('#')) return { line, text, cells: [] };
  const cells = csvCells(text, layout);
  if (typeof cells === 'string') return { line, text, mistake: 'quotes', detail: cells };
  return { line, text, cells: cells.map(withoutFormulaGuard) };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
