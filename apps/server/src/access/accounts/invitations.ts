import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { hasAccounts, insertAccount, readAccount } from './account-rows.ts';
import { everywhere } from './roles.ts';
import { makeSecretToken, secretTokenHash } from './secret-token.ts';
import { endSessionsOf } from './sessions.ts';

/**
 * Validity of the link printed at the start: short, because anyone who can read the output could use it; the next
 * start prints another.
 */
const firstMsMax = 3_600_000;
/** Validity of an invitation: a long weekend. */
const invitationMsMax = 4 * 24 * 3_600_000;

export interface Invitation {
  /** Shown only once. */
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Creates the invitation of the first administrator; `undefined` if there already is an account. */
export async function inviteFirst(pool: Pool, nowMs: number): Promise<Invitation | undefined> {
  if (await hasAccounts(pool)) return undefined;
  await removeExpired(pool, nowMs);
  return putInvitation(pool, { accountId: null, expiresAtMs: nowMs + firstMsMax });
}

/** Creates a link for setting the password of an account, and invalidates earlier links. */
export async function invite(pool: Pool, accountId: string, nowMs: number): Promise<Invitation> {
  await removeExpired(pool, nowMs);
  return inTransaction(pool, async (client) => {
    // Serializes concurrent calls, so that the second one finds the first one's link. An advisory lock instead of a
    // lock on the account, which accepting a link locks last.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.invite.' || $1, 0))`, [accountId]);
    await client.query(`delete from invitation where account_id = $1`, [accountId]);
    return putInvitation(client, { accountId, expiresAtMs: nowMs + invitationMsMax });
  });
}

/**
 * A separate statement: a transaction that has already deleted other invitations could deadlock with another that does
 * the same.
 */
async function removeExpired(pool: Pool, nowMs: number): Promise<void> {
  await pool.query(`delete from invitation where expires_at <= $1`, [new Date(nowMs)]);
}

async function putInvitation(
  database: Pool | ClientBase,
  of: { readonly accountId: string | null; readonly expiresAtMs: number },
): Promise<Invitation> {
  const token = makeSecretToken();
  await database.query(`insert into invitation (token_hash, account_id, expires_at) values ($1, $2, $3)`, [
    secretTokenHash(token),
    of.accountId,
    new Date(of.expiresAtMs),
  ]);
  return { token, expiresAtMs: of.expiresAtMs };
}

/**
 * Checks a link before the password is hashed, which costs a thousand times as much: a caller without a link must not
 * keep others from logging in. The link is checked again when it is accepted.
 *
 * @throws Problem `invitation.invalid`
 */
export async function needInvitation(
  pool: Pool,
  token: string,
  of: { readonly isFirst: boolean; readonly nowMs: number },
): Promise<void> {
  const found = await pool.query(
    `select 1 from invitation i left join account a on a.id = i.account_id
      where i.token_hash = $1 and (i.account_id is null) = $2 and i.expires_at > $3 and a.disabled_at is null`,
    [secretTokenHash(token), of.isFirst, new Date(of.nowMs)],
  );
  if (found.rowCount === 0) throw invalid();
}

/**
 * Creates the first administrator, with all rights in all workspaces.
 *
 * @param person `password`: its hash
 * @throws Problem `invitation.invalid`, also if another request was faster
 */
export function acceptFirst(
  pool: Pool,
  token: string,
  person: { readonly email: string; readonly name: string; readonly password: string; readonly nowMs: number },
): Promise<Account> {
  const { nowMs, ...rest } = person;
  return inTransaction(pool, async (client) => {
    await client.query(`lock table account in share row exclusive mode`);
    const taken = await client.query(
      `delete from invitation where token_hash = $1 and account_id is null and expires_at > $2
          and not exists (select 1 from account)`,
      [secretTokenHash(token), new Date(nowMs)],
    );
    if (taken.rowCount === 0) throw invalid();
    await client.query(`delete from invitation where account_id is null`);
    return insertAccount(client, { ...rest, roles: { [everywhere]: ['administrator'] } });
  });
}

/**
 * Sets the password of the link's account, unless it is disabled, and ends its sessions.
 *
 * @throws Problem `invitation.invalid`
 */
export function acceptInvitation(
  pool: Pool,
  token: string,
  of: { readonly password: string; readonly nowMs: number },
): Promise<Account> {
  return inTransaction(pool, async (client) => {
    const taken = await client.query<{ account_id: string }>(
      `delete from invitation where token_hash = $1 and account_id is not null and expires_at > $2 returning account_id`,
      [secretTokenHash(token), new Date(of.nowMs)],
    );
    const id = taken.rows[0]?.account_id;
    if (id === undefined) throw invalid();
    const set = await client.query(`update account set password = $2 where id = $1 and disabled_at is null`, [
      id,
      of.password,
    ]);
    if (set.rowCount === 0) throw invalid();
    await endSessionsOf(client, id);
    return readAccount(client, id);
  });
}

function invalid(): Problem {
  return new Problem(
    'invitation.invalid',
    'The link was already used, has expired, or is not valid. Ask for a new one.',
  );
}
