import { decodeText, encodeUtf8, strictUtf8 } from '../text-encoding.ts';
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

const hash = 0x23;
const utf8 = strictUtf8({ ignoreBOM: false });

/** How a file is written, if not with commas in UTF-8. */
export interface CsvForm {
  /** One character. */
  readonly delimiter?: string;
  /** Of a file without a byte order mark. */
  readonly encoding?: 'utf-8' | 'windows-1252';
}

/**
 * Reads a whole CSV file (RFC 4180; UTF-8, or UTF-16 with a byte order mark). Skips empty lines and lines that begin
 * with #, drops blanks around cells that are not quoted, and reverts the formula guard of `csvLine`. For the files that
 * the command line and the console exchange.
 */
export function readCsv(file: Uint8Array | string, { delimiter = ',', encoding }: CsvForm = {}): readonly CsvLine[] {
  const splitter = new RecordSplitter({ delimiter: encodeUtf8(delimiter), comment: hash });
  const layout = { delimiter, quotes: true, trim: true };
  return [...splitter.push(inUtf8(file, encoding)), ...splitter.end()]
    .map((record) => readLine(record, layout))
    .filter((line) => 'mistake' in line || (line.text.trim() !== '' && !line.text.startsWith('#')));
}

function inUtf8(file: Uint8Array | string, encoding: CsvForm['encoding']): Uint8Array {
  if (typeof file === 'string') return encodeUtf8(file);
  const [first, second] = file;
  const marked =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : encoding;
  return marked === undefined || marked === 'utf-8' ? file : encodeUtf8(decodeText(file, marked));
}

function readLine({ line, bytes }: RawRecord, layout: Parameters<typeof csvCells>[1]): CsvLine {
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
