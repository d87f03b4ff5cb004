import type { AddressList } from './address-list.ts';
import type { MmdbFile } from './mmdb-file.ts';
import type { NetworkKind } from './operator-kinds.ts';
import type { WorldTable } from './world-table.ts';

/** What is looked into for an address: the table that ships, and what the operator gave. Never changes; a newer one replaces it. */
export interface NetworkData {
  readonly world: WorldTable;
  /** What the first of them says counts; the table that ships comes last. */
  readonly databases: readonly MmdbFile[];
  readonly lists: Readonly<Partial<Record<NetworkKind, AddressList>>>;
}
