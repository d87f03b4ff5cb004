import { readFileSync } from 'node:fs';
import { readWorld, type WorldTable } from './world-table.ts';

/** The table that ships with this release. Takes some 200 ms. */
export function shippedTable(): WorldTable {
  return readWorld(readFileSync(new URL('../../data/world.table', import.meta.url)));
}
