/**
 * Two roles of the database: its owner migrates it, and the service runs as another one, which may read and write rows,
 * but neither change tables nor what the audit log has, nor take back what it noticed of changes from outside:
 *
 *   owner      ringfence migrate, ringfence restore
 *   runtime    ringfence serve, other commands; makes and drops ranges of the log and of events through functions that
 *              have the owner's rights (SECURITY DEFINER) and check what they are asked for
 */
import type { ClientBase } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

/** What a running service does to tables. */
const rangeFunctions = [
  'log_make_range(integer, bigint)',
  'log_drop_range(integer, bigint)',
  'event_make_range_at(text, bigint)',
  'event_drop_range(text, text)',
  'event_end_carry_over()',
] as const;

/**
 * The functions have the owner's rights. Their `search_path` is fixed, so that a caller cannot put other tables in the
 * place of those that they name. Only the owner may call them until it is granted.
 */
export const ownersFunctions = `
do $do$
declare
  signature text;
begin
  foreach signature in array '{${rangeFunctions.map((one) => `"${one}"`).join(',')}}'::text[] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
    execute format('revoke execute on function %s from public', signature);
  end loop;
end
$do$;
`;

/**
 * Lets a role run the service on a migrated database. Called again after every upgrade: it also covers what is new.
 *
 * @throws OperatorError if there is no such role, or it has the owner's rights anyway
 */
export async function grantRuntime(client: ClientBase, role: string): Promise<void> {
  const found = await client.query<{ strong: boolean; quoted: string; schema: string }>(
    `select rolsuper or pg_has_role(oid, current_user, 'member') as strong, quote_ident(rolname) as quoted,
            quote_ident(current_schema()) as schema
       from pg_roles where rolname = $1`,
    [role],
  );
  const known = found.rows[0];
  if (known === undefined) {
    throw new OperatorError(
      `There is no role ${role} in the database.`,
      `Create it: CREATE ROLE ${role} LOGIN PASSWORD '…'.`,
    );
  }
  if (known.strong) {
    throw new OperatorError(
      `The role ${role} has the rights of the owner, who migrates the database.`,
      'Name a role that is no superuser and no member of the owner.',
    );
  }
  await client.query(grants(known.quoted, known.schema));
}

/** Both are quoted. */
function grants(role: string, schema: string): string {
  return `
begin;
grant usage on schema ${schema} to ${role};
revoke create on schema ${schema} from public, ${role};
grant select, insert, update, delete on all tables in schema ${schema} to ${role};
grant usage, select on all sequences in schema ${schema} to ${role};
grant execute on all functions in schema ${schema} to ${role};
-- Ranges that are made later.
alter default privileges in schema ${schema} grant select, insert, update, delete on tables to ${role};
alter default privileges in schema ${schema} grant usage, select on sequences to ${role};
revoke update, delete on audit_entry, noticed_change from ${role};
revoke delete on audit_head, audit_key, audit_sent from ${role};
revoke insert, update, delete on schema_migration from ${role};
commit`;
}
