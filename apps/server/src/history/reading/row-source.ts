import { csvCells, isJsonObject, type JsonValue, NumberText, parseJson, printJson } from '@ringfence/contract';
import { nearest } from '@ringfence/policy/nearest';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { columnsOf, type Mapping } from '../mapping/mapping.ts';

/** The cells of a record in the order of `columnsOf(mapping)`; `undefined` for a missing one. */
export type Cells = readonly (string | undefined)[];

/** Reads the records of one file, in order. */
export interface RowSource {
  /**
   * @returns the cells; `undefined` for a record that is not a row (the header line); a sentence for a malformed one
   * @throws OperatorError when the file lacks columns that the mapping names
   */
  read(record: string): Cells | undefined | string;
  /** Whether the next record names the columns. */
  readonly awaitsNames: boolean;
  /** Columns of the file that the mapping does not read, as far as they are known. */
  readonly unread: readonly string[];
}

export function rowSource(format: 'csv' | 'ndjson', mapping: Mapping, file: string): RowSource {
  return format === 'csv' ? new CsvSource(mapping, file) : new JsonSource(mapping);
}

class CsvSource implements RowSource {
  unread: readonly string[] = [];
  readonly #mapping: Mapping;
  readonly #file: string;
  #places: readonly number[] | undefined;
  #width = 0;
  #isFirst = true;

  constructor(mapping: Mapping, file: string) {
    this.#mapping = mapping;
    this.#file = file;
    if (mapping.csv.columns !== undefined) this.#bind(mapping.csv.columns);
  }

  get awaitsNames(): boolean {
    return this.#places === undefined;
  }

  read(record: string): Cells | undefined | string {
    if (this.#isFirst) {
      this.#isFirst = false;
      if (this.#isSeparatorLine(record)) return undefined;
    }
    const cells = csvCells(record, this.#mapping.csv);
    if (typeof cells === 'string') return cells;
    if (this.#places === undefined) {
      this.#bind(cells.map((name) => name.trim()));
      return undefined;
    }
    if (cells.length !== this.#width) return `There are ${cells.length} cells, expected ${this.#width}.`;
    return this.#places.map((place) => cells[place]);
  }

  /** Spreadsheets name the delimiter in a line before all others. */
  #isSeparatorLine(record: string): boolean {
    const named = /^"?sep=(.)"?$/i.exec(record)?.[1];
    if (named === undefined) return false;
    const { delimiter } = this.#mapping.csv;
    if (named === delimiter) return true;
    const wanted = named === '\t' ? 'tab' : JSON.stringify(named);
    throw new OperatorError(
      `${this.#file} begins with the line "sep=${named}", but the mapping has another delimiter.`,
      `Write \`delimiter: ${wanted}\` in the mapping. Nothing was imported.`,
    );
  }

  #bind(names: readonly string[]): void {
    const wanted = columnsOf(this.#mapping);
    const missing = wanted.filter((name) => !names.includes(name));
    if (missing.length > 0) throw noColumns(this.#file, { missing, names, isAll: missing.length === wanted.length });
    const twice = wanted.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
    if (twice !== undefined) {
      throw new OperatorError(
        `${this.#file} has the column "${twice}" more than once, and the mapping reads it.`,
        'Give the columns distinct names, so that it is clear which one is meant. Nothing was imported.',
      );
    }
    this.#places = wanted.map((name) => names.indexOf(name));
    this.#width = names.length;
    this.unread = names.filter((name) => !wanted.includes(name));
  }
}

interface NoColumns {
  readonly missing: readonly string[];
  readonly names: readonly string[];
  /** Whether all columns of the mapping are missing. */
  readonly isAll: boolean;
}

function noColumns(file: string, { missing, names, isAll }: NoColumns): OperatorError {
  const told = missing.map((name) => {
    const near = nearest(name, names);
    return near === undefined ? `"${name}"` : `"${name}" (did you mean "${near}"?)`;
  });
  // If no name matches, the line may not be a header but the first client's data: it must not be shown.
  const found = isAll
    ? `Its first line of ${names.length} ${names.length === 1 ? 'cell' : 'cells'} contains no column of the mapping. Is \`delimiter\` right?`
    : `Its columns are: ${names.map((name) => name || '(no name)').join(', ')}.`;
  return new OperatorError(
    `${file} has no column ${told.join(', ')}.`,
    `${found} A file without a header line needs \`columns\` in the mapping.`,
  );
}

/** Names of members that the mapping does not read: more are not told. */
const unreadMax = 100;

/** One JSON object per line; a column is the path of a member, such as `customer.id`. */
class JsonSource implements RowSource {
  readonly awaitsNames = false;
  readonly #paths: readonly (readonly string[])[];
  readonly #read: ReadonlySet<string>;
  readonly #unread = new Set<string>();

  constructor(mapping: Mapping) {
    this.#paths = columnsOf(mapping).map((column) => column.split('.'));
    this.#read = new Set(this.#paths.map(([name]) => name!));
  }

  get unread(): readonly string[] {
    return [...this.#unread];
  }

  read(record: string): Cells | string {
    const json = parseJson(record);
    if (!json.ok) return json.error.detail;
    if (!isJsonObject(json.value)) return 'This is not a JSON object.';
    const row = json.value;
    for (const name in row) {
      if (!this.#read.has(name) && this.#unread.size < unreadMax) this.#unread.add(name);
    }
    return this.#paths.map((path) => cellText(memberAt(row, path)));
  }
}

function memberAt(row: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = row;
  for (const part of path) value = isJsonObject(value) ? value[part] : undefined;
  return value;
}

/** Numbers keep their original digits; null counts as missing. */
function cellText(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  return value instanceof NumberText ? value.text : printJson(value);
}
