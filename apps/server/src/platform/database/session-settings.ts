import type { Pool } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

/** Settings that a role or a database may override in a way that the service cannot work with. */
export interface SessionSettings {
  readonly encoding: string;
  readonly dateStyle: string;
  readonly byteaOutput: string;
  readonly readOnly: string;
}

/** SQL_ASCII stores bytes as they come, and so has never rejected a text of ours. */
const encodings: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII']);

/** Why the service cannot work with these settings; empty if it can. */
export function judgeSession({ encoding, dateStyle, byteaOutput, readOnly }: SessionSettings): readonly string[] {
  const refusals: string[] = [];
  if (!encodings.has(encoding))
    refusals.push(`the encoding of the database is ${encoding}: create one with ENCODING 'UTF8'`);
  if (!dateStyle.startsWith('ISO')) refusals.push(`DateStyle is "${dateStyle}": set it to "ISO"`);
  if (byteaOutput !== 'hex') refusals.push(`bytea_output is ${byteaOutput}: set it to hex`);
  if (readOnly === 'on') refusals.push('default_transaction_read_only is on: switch it off');
  return refusals;
}

/** @throws OperatorError if the service cannot work with the settings */
export async function checkSession(pool: Pool): Promise<void> {
  const { rows } = await pool.query<SessionSettings>(
    `SELECT current_setting('server_encoding') AS encoding, current_setting('DateStyle') AS "dateStyle",
            current_setting('bytea_output') AS "byteaOutput",
            current_setting('default_transaction_read_only') AS "readOnly"`,
  );
  const refusals = judgeSession(rows[0]!);
  if (refusals.length === 0) return;
  throw new OperatorError(
    `Ringfence cannot work with the settings of this database: ${refusals.join('; ')}.`,
    'Settings may come from the role (ALTER ROLE … SET), the database (ALTER DATABASE … SET) or the server.',
  );
}
