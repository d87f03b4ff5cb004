import { randomUUID } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { type CellPlace, homeDatabase } from '../../platform/database/cell.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';

interface Claim {
  readonly installation: string;
  readonly name: string;
  readonly number: number;
}

/** Makes a database the home of an installation, once. @throws OperatorError if it is a further database of one */
export async function claimHome(pool: Pool): Promise<void> {
  const found = await claim(pool, { installation: randomUUID(), name: homeDatabase, number: 0 });
  if (found.name === homeDatabase) return;
  throw new OperatorError(
    `This database is the database "${found.name}" of an installation, not its home database.`,
    'Set DATABASE_URL to the home database, and declare this one under databases.',
  );
}

/**
 * Makes a database a further one of the installation, once. So no address that was mixed up leads to another database.
 *
 * @throws OperatorError if the database belongs to another installation, or has another name
 */
export async function claimCell(pool: Pool, { name, home }: CellPlace): Promise<void> {
  // The first process may be a command about this database.
  await claimHome(home);
  const of = await readClaim(home);
  const number = await numberOf(home, name);
  // From now on each database gives numbers of its own, so that rows can move between them.
  if ((await readClaim(pool)) === undefined) await home.query('select spread_identities(0)');
  const found = await claim(pool, { installation: of!.installation, name, number });
  if (found.installation !== of!.installation) {
    throw new OperatorError(
      `The database "${name}" belongs to another installation.`,
      `Set databases.${name}.url to an empty database, or to the one that was used under this name before.`,
    );
  }
  if (found.name === name) return;
  throw new OperatorError(
    `The database that databases.${name}.url names is the database "${found.name}" of this installation.`,
    'Correct the addresses. A database keeps its name.',
  );
}

/** Writes the claim, unless the database has one. @returns the one that it has */
async function claim(pool: Pool, { installation, name, number }: Claim): Promise<Claim> {
  await inTransaction(pool, async (client) => {
    const made = await client.query(
      `insert into cell (installation, name, number) values ($1, $2, $3) on conflict do nothing`,
      [installation, name, number],
    );
    if (made.rowCount === 1 && number > 0) await client.query('select spread_identities($1)', [number]);
  });
  return (await readClaim(pool))!;
}

export async function readClaim(database: Pool | ClientBase): Promise<Claim | undefined> {
  return (await database.query<Claim>(`select installation, name, number from cell`)).rows[0];
}

/** The number of a database, from 1: given at its first use. */
function numberOf(home: Pool, name: string): Promise<number> {
  return inTransaction(home, async (client) => {
    await client.query(`lock table cell_number in share row exclusive mode`);
    await client.query(
      `insert into cell_number (name, number) select $1, coalesce(max(number), 0) + 1 from cell_number
       on conflict (name) do nothing`,
      [name],
    );
    const found = await client.query<{ number: number }>(`select number from cell_number where name = $1`, [name]);
    return found.rows[0]!.number;
  });
}
