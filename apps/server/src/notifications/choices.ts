import type { ClientBase, Pool } from 'pg';
import type { Account } from '../access/accounts/account.ts';
import { accountColumns, accountOf, type AccountRow } from '../access/accounts/account-rows.ts';
import { type Choice, noChoice } from './notification-settings.ts';

export async function readChoice(pool: Pool, accountId: string): Promise<Choice> {
  const { rows } = await pool.query<{ settings: Choice }>(
    `select settings from notification_choice where account_id = $1`,
    [accountId],
  );
  return rows[0]?.settings ?? noChoice;
}

export async function writeChoice(pool: Pool, accountId: string, choice: Choice): Promise<void> {
  await pool.query(
    `insert into notification_choice (account_id, settings) values ($1, $2)
     on conflict (account_id) do update set settings = excluded.settings`,
    [accountId, choice],
  );
}

/** A person, and what they want to get. */
export interface Person {
  readonly account: Account;
  readonly choice: Choice;
}

/** Those whose account is not disabled. */
export async function listPeople(database: Pool | ClientBase): Promise<readonly Person[]> {
  const { rows } = await database.query<AccountRow & { readonly settings: Choice }>(
    `select ${accountColumns}, c.settings from notification_choice c join account a on a.id = c.account_id
      where a.disabled_at is null`,
  );
  return rows.map(({ settings: choice, ...row }) => ({ account: accountOf(row), choice }));
}
