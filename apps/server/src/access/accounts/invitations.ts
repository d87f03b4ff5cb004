import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { insertAccount, readAccount } from './account-rows.ts';
import { everywhere } from './roles.ts';
import { makeSecretToken, secretTokenHash } from './secret-token.ts';
import { endSessionsOf } from './sessions.ts';

/** The link that a start prints: whoever reads it has to come soon; the next start prints another. */
const firstMsMax = 3_600_000;
/** An invitation waits over a long weekend. */
const invitationMsMax = 4 * 24 * 3_600_000;

export interface Invitation {
  /** Shown once. */
  readonly token: string;
  readonly expiresAtMs: number;
}

/** The invitation of the first administrator; `undefined` when there is an account already. */
export async function inviteFirst(pool: Pool, nowMs: number): Promise<Invitation | undefined> {
  const accounts = await pool.query(`select 1 from account limit 1`);
  if (accounts.rowCount !== 0) return undefined;
  await removeExpired(pool, nowMs);
  return putInvitation(pool, { accountId: null, expiresAtMs: nowMs + firstMsMax });
}

/** A link by which somebody sets the password of this account. Links of before are worth nothing any more. */
export async function invite(pool: Pool, accountId: string, nowMs: number): Promise<Invitation> {
  await removeExpired(pool, nowMs);
  return inTransaction(pool, async (client) => {
    // Of two at once the second finds the link of the first. Not by the account: who takes a link locks that last.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.invite.' || $1, 0))`, [accountId]);
    await client.query(`delete from invitation where account_id = $1`, [accountId]);
    return putInvitation(client, { accountId, expiresAtMs: nowMs + invitationMsMax });
  });
}

/** In a statement of its own: whoever has deleted others already would wait for somebody who does the same in a circle. */
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
 * Asked before a password is hashed, which costs a thousand times as much: whoever has no link must not keep others
 * from logging in. That it is still good is seen once more when it is taken.
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
 * Makes the first administrator, who may do everything everywhere.
 *
 * @param person `password`: its hash
 * @throws Problem `invitation.invalid`, also when somebody was quicker
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
 * Sets the password of the account that this link was made for, unless it is disabled, and ends its sessions.
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
  return new Problem('invitation.invalid', 'It was used, it has expired, or it never was one. Ask for a new link.');
}
