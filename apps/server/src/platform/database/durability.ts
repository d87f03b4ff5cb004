import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

/** The database settings that durability depends on. */
export interface DurabilitySettings {
  /** In the form of `server_version_num`: 150004 is 15.4. */
  readonly versionNumber: number;
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** In our sessions: a role or a database may override it. */
  readonly synchronousCommit: string;
  readonly dataChecksums: string;
}

/** Oldest tested PostgreSQL: 15. */
const versionNumberMin = 150_000;

/** Why the service cannot keep its promises on this database, and what is inadvisable. Both empty: all is well. */
export interface DurabilityJudgement {
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * A 200 promises that the event survives a crash. With one of these settings off it does not: measured with `kill -9`
 * and simulated power failures, 0.06 to 7.5 % of acknowledged commits were lost, or the cluster did not start again.
 */
export function judgeDurability(settings: DurabilitySettings): DurabilityJudgement {
  const refusals: string[] = [];
  if (settings.versionNumber < versionNumberMin) {
    refusals.push(`PostgreSQL ${versionText(settings.versionNumber)} is older than 15`);
  }
  if (settings.fsync === 'off') refusals.push('fsync is off: a power failure can destroy the database');
  if (settings.fullPageWrites === 'off') {
    refusals.push('full_page_writes is off: a page half written during a power failure cannot be repaired');
  }
  if (settings.synchronousCommit === 'off') {
    refusals.push('synchronous_commit is off: a crash loses the last commits although they were confirmed');
  }
  const warnings =
    settings.dataChecksums === 'on'
      ? []
      : ['the database has no data checksums: disk corruption is not detected (pg_checksums --enable)'];
  return { refusals, warnings };
}

/**
 * Reads and checks the settings.
 *
 * @returns the warnings
 * @throws OperatorError if the service cannot run with these settings
 */
export async function checkDurability(database: Pool | ClientBase): Promise<readonly string[]> {
  const { refusals, warnings } = judgeDurability(await readDurability(database));
  if (refusals.length === 0) return warnings;
  throw new OperatorError(
    `This database would lose accepted events: ${refusals.join('; ')}.`,
    'Use PostgreSQL 15 or newer with fsync, full_page_writes and synchronous_commit on, for the role and the database as well.',
  );
}

export async function readDurability(database: Pool | ClientBase): Promise<DurabilitySettings> {
  const { rows } = await database.query<DurabilitySettings>(
    `SELECT current_setting('server_version_num')::integer AS "versionNumber",
            current_setting('fsync') AS fsync,
            current_setting('full_page_writes') AS "fullPageWrites",
            current_setting('synchronous_commit') AS "synchronousCommit",
            current_setting('data_checksums') AS "dataChecksums"`,
  );
  return rows[0]!;
}

function versionText(number: number): string {
  return `${String(Math.floor(number / 10_000))}.${String(number % 10_000)}`;
}
