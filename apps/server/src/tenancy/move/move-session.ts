import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { connectForLongWork } from '../../platform/database/database.ts';
import type { DatabaseConnection } from '../../platform/database/event-log.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** A database that takes part in a move. */
export interface MoveDatabase {
  /** As `databases` names it. */
  readonly name: string;
  readonly connection: DatabaseConnection;
}

/** Values are compared as texts, so both sides must write them alike. */
const sameTexts = `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1;
  set intervalstyle = 'postgres'`;

/** A connection with the owner's rights, without time limits. @throws OperatorError if the database cannot be reached */
export async function openMoveSession({ name, connection }: MoveDatabase): Promise<Client> {
  try {
    const client = await connectForLongWork(connection);
    await client.query(sameTexts);
    return client;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `The database ${name} cannot be reached: ${why}.`,
      'Check its address under databases, and start the move again: it goes on where it was.',
      { cause },
    );
  }
}

/** A transaction, in which triggers and foreign keys do not act if `isCopy`; on one snapshot if `isSnapshot`. */
export async function transaction<Result>(
  client: Client,
  work: () => Promise<Result>,
  { isCopy = false, isSnapshot = false }: { readonly isCopy?: boolean; readonly isSnapshot?: boolean } = {},
): Promise<Result> {
  await client.query(isSnapshot ? 'begin isolation level repeatable read' : 'begin');
  try {
    if (isCopy) await client.query('set local session_replication_role = replica');
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** What was copied. */
export interface Copied {
  readonly rows: number;
  readonly bytes: number;
}

/** Copies the rows of a query into a table of the other database, without holding them in memory. */
export async function copyRows(
  { source, target }: { readonly source: Client; readonly target: Client },
  { select, into }: { readonly select: string; readonly into: string },
): Promise<Copied> {
  const out = source.query(copyTo(`copy (${select}) to stdout (format binary)`));
  const inward = target.query(copyFrom(`copy ${into} from stdin (format binary)`));
  let bytes = 0;
  await pipeline(
    out,
    async function* counted(pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        bytes += piece.length;
        yield piece;
      }
    },
    inward,
  );
  return { rows: inward.rowCount ?? 0, bytes };
}

const lockNotAvailable = '55P03';

/** Changes a table that others use: waits for a moment only, so that they do not wait behind it, and tries again. */
export async function withShortLocks(client: Client, sql: string): Promise<void> {
  const triesMax = 300;
  for (let tries = 1; ; tries++) {
    try {
      await transaction(client, async () => {
        await client.query(`set local lock_timeout = '200ms'`);
        await client.query(sql);
      });
      return;
    } catch (error) {
      if ((error as { readonly code?: string }).code !== lockNotAvailable || tries === triesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** @throws OperatorError if this user may not copy rows without firing triggers */
export async function requireCopyRights(client: Client, database: string): Promise<void> {
  try {
    await transaction(client, async () => {}, { isCopy: true });
  } catch (cause) {
    const { rows } = await client.query<{ user: string }>(`select quote_ident(current_user) as user`);
    throw new OperatorError(
      `The user ${rows[0]!.user} of the database ${database} may not copy rows without firing triggers.`,
      `As a superuser: GRANT SET ON PARAMETER session_replication_role TO ${rows[0]!.user};`,
      { cause },
    );
  }
}
