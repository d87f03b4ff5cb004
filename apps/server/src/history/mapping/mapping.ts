import type { EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';

/** How the lines of a file become events. */
export interface Mapping {
  /** Left out: by the file's name. */
  readonly format: 'csv' | 'ndjson' | undefined;
  readonly csv: CsvLayout;
  readonly encoding: 'utf-8' | 'windows-1252';
  /** What stands before the fraction of a number. */
  readonly decimal: '.' | ',';
  readonly time: { readonly column: string; readonly format: string; readonly zone: string | undefined };
  /** Every line is of one kind, or a column says of which. */
  readonly kind: EventKind | { readonly column: string; readonly words: ReadonlyMap<string, EventKind> };
  readonly label: { readonly column: string; readonly words: ReadonlyMap<string, Label> } | undefined;
  readonly members: Readonly<Partial<Record<EventKind, readonly MappedMember[]>>>;
}

export interface CsvLayout {
  /** One character. */
  readonly delimiter: string;
  /** Whether `"` encloses cells. */
  readonly quotes: boolean;
  /** Names of the columns of a file that does not begin with them. */
  readonly columns: readonly string[] | undefined;
}

/** A member of the wire's body and what fills it in. */
export interface MappedMember {
  /** As the wire names it, `account.client` or `transaction.details.branch`. */
  readonly path: string;
  readonly type: 'text' | 'number';
  readonly source:
    | { readonly column: string; /** For an empty cell. */ readonly default: string | undefined }
    | { readonly value: string };
}

/** Names of all columns that the mapping reads, each once. */
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
