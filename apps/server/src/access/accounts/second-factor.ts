import { randomBytes } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { knownKey, sealingKey } from '../../platform/secrets/sealing-key.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { RefusedLogIn } from './refused-log-in.ts';
import { secretTokenHash } from './secret-token.ts';
import { endSessionsOf } from './sessions.ts';
import { base32, findTotpStep, makeTotpSecret, totpUri } from './totp.ts';

/** Enough for several lost phones, few enough to fit on a slip of paper. */
const recoveryCodes = 10;
/** 80 random bits, 16 characters. */
const recoveryBytes = 10;

interface Deps {
  readonly pool: Pool;
  readonly master: MasterKeys;
}

export interface SecondFactorSetup {
  /** For typing it into an app: base32. */
  readonly key: string;
  /** Content of the QR code. */
  readonly uri: string;
}

export function totpPlace(accountId: string): Place {
  return { of: `account:${accountId}:totp`, row: '' };
}

/**
 * Creates a secret for an authenticator app; log-in requires it once a code is confirmed. @throws Problem
 * `state.conflict`
 */
export function beginSecondFactor(
  { pool, master }: Deps,
  account: { readonly id: string; readonly email: string },
): Promise<SecondFactorSetup> {
  return inTransaction(pool, async (client) => {
    const secret = makeTotpSecret();
    const { id, key } = await sealingKey(client, master);
    const begun = await client.query(
      `update account set master_key_id = $2, totp_sealed = $3, totp_step = 0, wrong_codes = 0 where id = $1 and totp_since is null`,
      [account.id, id, seal(key, secret, totpPlace(account.id))],
    );
    if (begun.rowCount === 0) {
      throw new Problem(
        'state.conflict',
        'This account already has a second factor. Remove it before setting up another.',
      );
    }
    return { key: base32(secret), uri: totpUri(secret, account.email) };
  });
}

/**
 * Enables the second factor by its first code, and ends all other sessions, which were opened without it.
 *
 * @returns recovery codes, shown only once: each replaces a code once
 * @throws RefusedLogIn for a wrong code; Problem `state.conflict` if no setup was begun
 */
export async function confirmSecondFactor(
  deps: Deps,
  of: { readonly accountId: string; readonly sessionId: string; readonly code: string; readonly nowMs: number },
): Promise<readonly string[]> {
  const { accountId, sessionId, nowMs } = of;
  const codes = await inTransaction(deps.pool, async (client) => {
    const begun = await client.query(
      `select 1 from account where id = $1 and totp_sealed is not null and totp_since is null for update`,
      [accountId],
    );
    if (begun.rowCount === 0) throw new Problem('state.conflict', 'No setup of a second factor has been started.');
    // A wrong code is counted, so its transaction must not be rolled back.
    if ((await useTotpCode(client, deps.master, of)) !== 'right') return undefined;
    await client.query(`update account set totp_since = $2 where id = $1`, [accountId, new Date(nowMs)]);
    await endSessionsOf(client, accountId, sessionId);
    return putRecoveryCodes(client, accountId);
  });
  if (codes === undefined) throw new RefusedLogIn('login.refused', 'The code is wrong.');
  return codes;
}

async function putRecoveryCodes(client: ClientBase, accountId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => base32(randomBytes(recoveryBytes)).toLowerCase());
  await client.query(`delete from recovery_code where account_id = $1`, [accountId]);
  await client.query(`insert into recovery_code (account_id, hash) select $1, unnest($2::bytea[])`, [
    accountId,
    codes.map(secretTokenHash),
  ]);
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'));
}

/** `usedUp`: too many wrong codes were tried, and no code of the app is taken any more. */
export type CodeCheck = 'right' | 'wrong' | 'usedUp';

/**
 * Wrong codes of the app, for good: a rate limit alone would let a thief of the password guess for years. Each right
 * code forgives one wrong one, and a recovery code all of them.
 */
const wrongCodesMax = 20;

/** Checks a code of the account's app, or a recovery code, and marks it as used. */
export function useSecondFactor(
  deps: Deps,
  of: { readonly accountId: string; readonly code: string; readonly nowMs: number },
): Promise<CodeCheck> {
  return inTransaction(deps.pool, async (client) => {
    if (/^\d{6}$/.test(of.code)) return useTotpCode(client, deps.master, of);
    const code = of.code.replaceAll(/[\s-]/g, '').toLowerCase();
    const used = await client.query(`delete from recovery_code where account_id = $1 and hash = $2`, [
      of.accountId,
      secretTokenHash(code),
    ]);
    if (used.rowCount !== 1) return 'wrong';
    await client.query(`update account set wrong_codes = 0 where id = $1`, [of.accountId]);
    return 'right';
  });
}

async function useTotpCode(
  client: ClientBase,
  master: MasterKeys,
  of: { readonly accountId: string; readonly code: string; readonly nowMs: number },
): Promise<CodeCheck> {
  const found = await client.query<{
    master_key_id: string;
    totp_sealed: Buffer;
    totp_step: number;
    wrong_codes: number;
  }>(
    `select master_key_id, totp_sealed, totp_step, wrong_codes
       from account where id = $1 and totp_sealed is not null for update`,
    [of.accountId],
  );
  const row = found.rows[0];
  if (row === undefined) return 'wrong';
  if (row.wrong_codes >= wrongCodesMax) return 'usedUp';
  const secret = open(knownKey(master, row.master_key_id).key, row.totp_sealed, totpPlace(of.accountId));
  const step = findTotpStep(secret, of.code, { nowMs: of.nowMs, afterStep: row.totp_step });
  if (step === undefined) {
    await client.query(`update account set wrong_codes = wrong_codes + 1 where id = $1`, [of.accountId]);
    return 'wrong';
  }
  await client.query(`update account set totp_step = $2, wrong_codes = greatest(0, wrong_codes - 1) where id = $1`, [
    of.accountId,
    step,
  ]);
  return 'right';
}

/** Removes the second factor and its recovery codes, and ends all sessions of the account except the given one. */
export function removeSecondFactor(pool: Pool, accountId: string, sessionId?: string): Promise<void> {
  return inTransaction(pool, async (client) => {
    // Locks the account first: a concurrent confirmation has then either written its codes, or finds nothing to
    // confirm.
    await client.query(
      `update account set master_key_id = null, totp_sealed = null, totp_since = null
        where id = $1 and totp_sealed is not null`,
      [accountId],
    );
    await client.query(`delete from recovery_code where account_id = $1`, [accountId]);
    await endSessionsOf(client, accountId, sessionId);
  });
}
