import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { emailName } from './email-name.ts';
import { everywhere, type Role, type Roles } from './roles.ts';

/** Limit per installation: more than this is a mistake, or a whole directory that does not belong here. */
const accountsMax = 2_000;

/** Selects an account with its roles as one row, from `account a`. */
export const accountColumns = `
  a.id, a.email, a.name, a.language, a.password is not null as has_password, a.totp_since is not null as has_second_factor,
  a.issuer, a.created_at, a.disabled_at,
  coalesce((select jsonb_object_agg(g.workspace_id, g.roles) from (
    select r.workspace_id, jsonb_agg(r.role order by r.role) as roles
      from account_role r where r.account_id = a.id group by r.workspace_id) g), '{}') as roles`;

export interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly language: string;
  readonly has_password: boolean;
  readonly has_second_factor: boolean;
  readonly issuer: string | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly roles: Roles;
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    language: row.language,
    roles: row.roles,
    hasPassword: row.has_password,
    hasSecondFactor: row.has_second_factor,
    issuer: row.issuer ?? undefined,
    createdAtMs: row.created_at.getTime(),
    disabledAtMs: row.disabled_at?.getTime(),
  };
}

export async function hasAccounts(database: Pool | ClientBase): Promise<boolean> {
  return (await database.query(`select 1 from account limit 1`)).rowCount !== 0;
}

/** All of them, by e-mail address. */
export async function listAccounts(database: Pool | ClientBase): Promise<readonly Account[]> {
  const found = await database.query<AccountRow>(`select ${accountColumns} from account a order by a.email`);
  return found.rows.map(accountOf);
}

/** @throws Problem `thing.unknown` */
export async function readAccount(database: Pool | ClientBase, id: string): Promise<Account> {
  const found = await database.query<AccountRow>(`select ${accountColumns} from account a where a.id = $1`, [id]);
  const row = found.rows[0];
  if (row === undefined) throw new Problem('thing.unknown', `There is no account ${id}.`);
  return accountOf(row);
}

/** The account with this e-mail address, in whatever case. */
export async function findAccount(database: Pool | ClientBase, email: string): Promise<Account | undefined> {
  const found = await database.query<AccountRow>(`select ${accountColumns} from account a where a.email = $1`, [
    emailName(email),
  ]);
  const row = found.rows[0];
  return row === undefined ? undefined : accountOf(row);
}

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly language?: string | undefined;
  readonly roles: Roles;
  /** The hash of the password. */
  readonly password?: string | undefined;
  readonly identity?: { readonly issuer: string; readonly subject: string } | undefined;
}

/** The maximum number of accounts is reached. */
export class AccountsFullError extends Problem {
  constructor() {
    super(
      'state.conflict',
      `There are already ${accountsMax} accounts, the maximum. Remove accounts that are no longer needed.`,
    );
  }
}

/** @throws Problem `state.conflict` if the address is taken; AccountsFullError if there are too many accounts */
export async function insertAccount(client: ClientBase, account: NewAccount): Promise<Account> {
  const { email, name, language = 'en', password, identity } = account;
  const id = `acc_${randomId(12)}`;
  const inserted = await client.query(
    `insert into account (id, email, name, language, password, issuer, subject)
     select $1, $2, $3, $4, $5, $6, $7 where (select count(*) from account) < ${accountsMax}
     on conflict (email) do nothing`,
    [id, emailName(email), name, language, password ?? null, identity?.issuer ?? null, identity?.subject ?? null],
  );
  if (inserted.rowCount === 0) {
    if ((await findAccount(client, email)) === undefined) throw new AccountsFullError();
    throw new Problem('state.conflict', `The account ${email} already exists.`);
  }
  await putRoles(client, id, account.roles);
  return readAccount(client, id);
}

/** Like `insertAccount`, in a new transaction. */
export function createAccount(pool: Pool, account: NewAccount): Promise<Account> {
  return inTransaction(pool, (client) => insertAccount(client, account));
}

export interface AccountChange {
  readonly name?: string | undefined;
  readonly language?: string | undefined;
  readonly roles?: Roles | undefined;
  readonly disabled?: boolean | undefined;
}

/**
 * Changes the given members. Disabling an account deletes its sessions and invitations.
 *
 * @throws Problem `state.conflict` if the installation would have no administrator left
 */
export function changeAccount(pool: Pool, id: string, change: AccountChange): Promise<Account> {
  return inTransaction(pool, async (client) => {
    await client.query(`lock table account_role in share row exclusive mode`);
    const before = await readAccount(client, id);
    // Locks the invitation before the account, in the same order as accepting a link does, to avoid deadlocks.
    if (change.disabled === true) await client.query(`delete from invitation where account_id = $1`, [id]);
    await client.query(
      `update account set name = coalesce($2, name), language = coalesce($3, language),
              disabled_at = case when $4::boolean is null then disabled_at when $4::boolean then coalesce(disabled_at, now()) end
        where id = $1`,
      [id, change.name ?? null, change.language ?? null, change.disabled ?? null],
    );
    if (change.disabled === true) await client.query(`delete from console_session where account_id = $1`, [id]);
    if (change.roles !== undefined) await putRoles(client, id, change.roles);
    await keepAnAdministrator(client, before);
    return readAccount(client, id);
  });
}

/** @throws Problem `thing.unknown`, and `state.conflict` for the last administrator */
export function removeAccount(pool: Pool, id: string): Promise<Account> {
  return inTransaction(pool, async (client) => {
    await client.query(`lock table account_role in share row exclusive mode`);
    const before = await readAccount(client, id);
    await client.query(`update alert set claimed_by = null, claimed_by_name = null where claimed_by = $1`, [id]);
    await client.query(`update alert set handed_by = null where handed_by = $1`, [id]);
    await client.query(`delete from account where id = $1`, [id]);
    await keepAnAdministrator(client, before);
    return before;
  });
}

/** Replaces all roles of the account. */
export async function putRoles(client: ClientBase, id: string, roles: Roles): Promise<void> {
  const rows = Object.entries(roles).flatMap(([workspace, granted]) =>
    [...new Set(granted)].map((role) => [workspace, role] as const),
  );
  await client.query(`delete from account_role where account_id = $1`, [id]);
  await client.query(
    `insert into account_role (account_id, workspace_id, role) select $1, * from unnest($2::text[], $3::text[])`,
    [id, rows.map(([workspace]) => workspace), rows.map(([, role]): Role => role)],
  );
}

/**
 * Keeps the last administrator from removing themselves: if there was an administrator before, there must be one
 * afterwards.
 */
async function keepAnAdministrator(client: ClientBase, before: Account): Promise<void> {
  if (before.disabledAtMs !== undefined || before.roles[everywhere]?.includes('administrator') !== true) return;
  const left = await client.query(
    `select 1 from account_role r join account a on a.id = r.account_id
      where r.workspace_id = '${everywhere}' and r.role = 'administrator' and a.disabled_at is null limit 1`,
  );
  if (left.rowCount !== 0) return;
  throw new Problem('state.conflict', 'This is the last administrator. Create another one first.');
}
