import { csvCells } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import { readRecords } from '../../history/reading/read-file.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { ToldLabel } from './append-labels.ts';
import { addressLabel, labelBounds } from './parse-labels.ts';

/** A line of a file of labels: the label, or the error. */
export interface LabelLine {
  readonly line: number;
  readonly told: ToldLabel | string;
  /** How much of the file was read, 0 to 1. */
  readonly share: number;
}

const columns = ['event', 'client', 'reference', 'label', 'note'] as const;
type Column = (typeof columns)[number];
const layout = { delimiter: ',', quotes: true };

/**
 * Reads the labels of a CSV file, optionally compressed with gzip, in bounded memory. Its first line contains the
 * column names: `label`, with `event` or with `client` and `reference`, and optionally `note`.
 *
 * @throws OperatorError when it can't be read, or has other columns
 */
export async function* readLabelFile(path: string, author: string): AsyncGenerator<LabelLine> {
  let head: readonly Column[] | undefined;
  for await (const { records, share } of readRecords(path, { delimiter: Buffer.from(layout.delimiter) })) {
    for (const { line, bytes } of records) {
      if (bytes === undefined) {
        yield { line, told: 'The line is longer than any label.', share };
        continue;
      }
      const cells = cellsOf(bytes);
      if (head === undefined) head = readHead(path, cells);
      else yield { line, told: typeof cells === 'string' ? cells : readCells(head, cells, author), share };
    }
  }
}

const namedColumns = 'label, with event or with client and reference; note is optional';
const howToName = `It must contain the column names, separated by commas: ${namedColumns}.`;

/**
 * Removes a byte order mark, which would become part of the first column's name. @throws TypeError for invalid UTF-8
 */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The cells of a line, or the error. */
function cellsOf(bytes: Uint8Array): readonly string[] | string {
  try {
    return csvCells(decoder.decode(bytes), layout);
  } catch (error) {
    if (error instanceof TypeError) return 'It is not UTF-8: save the file in UTF-8.';
    throw error;
  }
}

function readHead(path: string, cells: readonly string[] | string): readonly Column[] {
  if (typeof cells === 'string')
    throw new OperatorError(`The first line of ${path} cannot be read. ${cells}`, howToName);
  const names = cells.map((cell) => cell.trim());
  const known = names.flatMap((name) => columns.find((column) => column === name) ?? []);
  const isWhole = known.length === names.length && new Set(known).size === known.length;
  const addresses = known.includes('event') || (known.includes('client') && known.includes('reference'));
  if (isWhole && known.includes('label') && addresses) return known;
  throw new OperatorError(
    `The first line of ${path} must contain the column names: ${namedColumns}.`,
    names.length === 1 && /[;\t|]/.test(names[0]!)
      ? `Columns must be separated by commas. The line is: ${names[0]!}`
      : `It names: ${names.join(', ')}.`,
  );
}

function readCells(head: readonly Column[], cells: readonly string[], author: string): ToldLabel | string {
  if (cells.length !== head.length) return `The line has ${cells.length} cells, and the first line ${head.length}.`;
  const given = Object.fromEntries(head.map((column, at) => [column, cells[at]!.trim()])) as Partial<
    Record<Column, string>
  >;
  const said = (column: Column): string | undefined => (given[column] === '' ? undefined : given[column]);
  const label = labelOf(given.label);
  if (label === undefined) return `"${given.label ?? ''}" is not a label: use fraud or legitimate.`;
  const note = said('note');
  if ((note?.length ?? 0) > labelBounds.noteLength)
    return `The note is longer than ${labelBounds.noteLength} characters.`;
  return addressLabel(
    { event: said('event'), client: said('client'), reference: said('reference'), label, note },
    author,
  );
}

export function labelOf(text: string | undefined): Label | undefined {
  return text === 'fraud' || text === 'legitimate' ? text : undefined;
}
