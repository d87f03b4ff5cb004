import type { Pool } from 'pg';

/** The name of the database of `DATABASE_URL`, or of the embedded one. */
export const homeDatabase = 'home';

/** A further database of the installation. */
export interface CellPlace {
  readonly name: string;
  /** The home database, which has people, tokens, the audit log, and where each workspace lies. */
  readonly home: Pool;
}

/** What rooms know of their database: `cell` is `undefined` in the home database. */
export interface OfCell {
  readonly pool: Pool;
  readonly cell?: CellPlace | undefined;
}

/** The home database of the installation. */
export function homeOf({ pool, cell }: OfCell): Pool {
  return cell?.home ?? pool;
}

/** The name of the database. */
export function nameOfDatabase({ cell }: Pick<OfCell, 'cell'>): string {
  return cell?.name ?? homeDatabase;
}
