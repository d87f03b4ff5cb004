import type { Pool } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

/** What a role or a database may be set to otherwise than the service reads and writes. */
export interface SessionSettings {
  readonly encoding: string;
  readonly dateStyle: string;
  readonly byteaOutput: string;
  readonly readOnly: string;
}

/** A database that takes bytes as they come has never refused a text of ours. */
const encodings: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII']);

/** Why the service cannot work with these settings; empty: it can. */
export function judgeSession({ encoding, dateStyle, byteaOutput, readOnly }: SessionSettings): readonly string[] {
  const refusals: string[] = [];
  if (!encodings.has(encoding))
    refusals.push(`the encoding of the database is ${encoding}: make one with ENCODING 'UTF8'`);
  if (!dateStyle.startsWith('ISO')) refusals.push(`DateStyle is "${dateStyle}": set it to "ISO"`);
  if (byteaOutput !== 'hex') refusals.push(`bytea_output is ${byteaOutput}: set it to hex`);
  if (readOnly === 'on') refusals.push('default_transaction_read_only is on: switch it off');
  return refusals;
}

/** @throws OperatorError when there is a refusal */
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
