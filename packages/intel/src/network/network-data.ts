import type { AddressList } from './address-list.ts';
import type { MmdbFile } from './mmdb-file.ts';
import type { NetworkKind } from './operator-kinds.ts';
import type { WorldTable } from './world-table.ts';

/**
 * The data sources of an address: the built-in table, and the operator's files. Immutable; newer data replaces the
 * object.
 */
export interface NetworkData {
  readonly world: WorldTable;
  /** The first source with a value wins; the built-in table comes last. */
  readonly databases: readonly MmdbFile[];
  readonly lists: Readonly<Partial<Record<NetworkKind, AddressList>>>;
}
