import type { EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';

/** How the lines of a file become events. */
export interface Mapping {
  /** Omitted: determined by the file's name. */
  readonly format: 'csv' | 'ndjson' | undefined;
  readonly csv: CsvLayout;
  readonly encoding: 'utf-8' | 'windows-1252';
  /** Whether blanks around cells are dropped. */
  readonly trim: boolean;
  /** Words that mean an empty cell. */
  readonly nulls: ReadonlySet<string>;
  /** The decimal separator. */
  readonly decimal: '.' | ',';
  readonly time: { readonly column: string; readonly format: string; readonly zone: string | undefined };
  /** One kind for every line, or a column that contains it. */
  readonly kind: EventKind | { readonly column: string; readonly words: ReadonlyMap<string, EventKind> };
  readonly label: { readonly column: string; readonly words: ReadonlyMap<string, Label> } | undefined;
  readonly members: Readonly<Partial<Record<EventKind, readonly MappedMember[]>>>;
}

export interface CsvLayout {
  /** One character. */
  readonly delimiter: string;
  /** Whether `"` encloses cells. */
  readonly quotes: boolean;
  /** Column names, for a file without a header line. */
  readonly columns: readonly string[] | undefined;
}

/** A member of the wire's body and its source. */
export interface MappedMember {
  /** The wire's name, such as `account.client` or `transaction.details.branch`. */
  readonly path: string;
  readonly type: 'text' | 'number';
  readonly source:
    | { readonly column: string; /** For an empty cell. */ readonly default: string | undefined }
    | { readonly value: string };
}

/** Names of all columns that the mapping reads, without duplicates. */
export function columnsOf(mapping: Mapping): readonly string[] {
  const names = [
    mapping.time.column,
    ...(typeof mapping.kind === 'string' ? [] : [mapping.kind.column]),
    ...(mapping.label === undefined ? [] : [mapping.label.column]),
    ...Object.values(mapping.members).flatMap((members) =>
      members.flatMap(({ source }) => ('column' in source ? [source.column] : [])),
    ),
  ];
  return [...new Set(names)];
}
