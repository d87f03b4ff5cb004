/**
 * Sessions of the console: a random token in a cookie, its hash in the database. Every request looks there, so that one
 * that is ended is ended at once, in every process.
 *
 *     opened --(15 min without a request, 12 h in all, log-out, an administrator, a disabled account)--> gone
 */
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { accountColumns, accountOf, type AccountRow } from './account-rows.ts';
import { makeSecretToken, secretTokenHash } from './secret-token.ts';

export const idleMsMax = 15 * 60_000;
export const sessionMsMax = 12 * 3_600_000;
/** How exactly the last request is noted: a write each minute, not with every request. */
const seenEveryMs = 60_000;
/** Of one account; the oldest gives way. */
const sessionsMax = 20;
const agentLengthMax = 200;

export interface ConsoleSession {
  readonly id: string;
  readonly account: Account;
  readonly openedAtMs: number;
  readonly seenAtMs: number;
  /** At the latest. */
  readonly endsAtMs: number;
  readonly idleEndsAtMs: number;
}

interface SessionRow extends AccountRow {
  readonly session_id: string;
  readonly opened_at: Date;
  readonly seen_at: Date;
}

export interface Opened {
  readonly token: string;
  readonly id: string;
}

interface NewSession {
  readonly accountId: string;
  /** What proved it; `undefined`: something else than a password did. */
  readonly proof?: {
    readonly passwordHash: string;
    /** Whether the account had a second factor: one that was confirmed since was not asked for. */
    readonly hasSecondFactor: boolean;
  };
  readonly address: string;
  readonly agent: string;
  readonly nowMs: number;
}

/**
 * Opens a session for somebody who has proved who he is. The token is in the answer and nowhere else.
 *
 * @throws Problem `login.refused` when another password or a second factor was set since the proof, or the
 *   account was disabled
 */
export async function openSession(pool: Pool, of: NewSession): Promise<Opened> {
  const { accountId, proof, address, agent, nowMs } = of;
  const token = makeSecretToken();
  const id = `ses_${randomId(12)}`;
  await pool.query(
    `delete from console_session where opened_at <= $1 or seen_at <= $2
        or id in (select id from console_session where account_id = $3 order by opened_at desc offset ${sessionsMax - 1})`,
    [new Date(nowMs - sessionMsMax), new Date(nowMs - idleMsMax), accountId],
  );
  await inTransaction(pool, async (client) => {
    // Whoever sets another password or a second factor, or disables the account, ends its sessions: this one comes before
    // that, or not at all.
    const present = await client.query(
      `select 1 from account where id = $1 and disabled_at is null and ($2::text is null or password = $2)
          and ($3 or totp_since is null)
          for share`,
      [accountId, proof?.passwordHash ?? null, proof?.hasSecondFactor ?? true],
    );
    if (present.rowCount === 0) throw new Problem('login.refused', 'The account has just been changed. Log in again.');
    await client.query(
      `insert into console_session (id, token_hash, account_id, opened_at, seen_at, address, agent)
       values ($1, $2, $3, $4, $4, $5, $6)`,
      [id, secretTokenHash(token), accountId, new Date(nowMs), address, agent.slice(0, agentLengthMax)],
    );
  });
  return { token, id };
}

/**
 * The session of this token, while it lasts.
 *
 * @param isUse false for what a page asks by itself: it keeps nobody logged in
 */
export async function findSession(
  pool: Pool,
  token: string,
  at: { readonly nowMs: number; readonly isUse: boolean },
): Promise<ConsoleSession | undefined> {
  const { nowMs } = at;
  const found = await pool.query<SessionRow>({
    name: 'console_session',
    text: `select s.id as session_id, s.opened_at, s.seen_at, ${accountColumns}
             from console_session s join account a on a.id = s.account_id
            where s.token_hash = $1 and s.opened_at > $2 and s.seen_at > $3 and a.disabled_at is null`,
    values: [secretTokenHash(token), new Date(nowMs - sessionMsMax), new Date(nowMs - idleMsMax)],
  });
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const seen = row.seen_at.getTime();
  const isNews = at.isUse && nowMs - seen >= seenEveryMs;
  if (isNews) {
    await pool.query(`update console_session set seen_at = $2 where id = $1`, [row.session_id, new Date(nowMs)]);
  }
  const openedAtMs = row.opened_at.getTime();
  const seenAtMs = isNews ? nowMs : seen;
  return {
    id: row.session_id,
    account: accountOf(row),
    openedAtMs,
    seenAtMs,
    endsAtMs: openedAtMs + sessionMsMax,
    idleEndsAtMs: Math.min(seenAtMs + idleMsMax, openedAtMs + sessionMsMax),
  };
}

/** A session as an administrator sees it. */
export interface ListedSession {
  readonly id: string;
  readonly openedAtMs: number;
  readonly seenAtMs: number;
  readonly address: string;
  readonly agent: string;
}

/** The open sessions of an account, newest first. */
export async function listSessions(pool: Pool, accountId: string, nowMs: number): Promise<readonly ListedSession[]> {
  const found = await pool.query<{ id: string; opened_at: Date; seen_at: Date; address: string; agent: string }>(
    `select id, opened_at, seen_at, address, agent from console_session
      where account_id = $1 and opened_at > $2 and seen_at > $3 order by opened_at desc`,
    [accountId, new Date(nowMs - sessionMsMax), new Date(nowMs - idleMsMax)],
  );
  return found.rows.map((row) => ({
    id: row.id,
    openedAtMs: row.opened_at.getTime(),
    seenAtMs: row.seen_at.getTime(),
    address: row.address,
    agent: row.agent,
  }));
}

/** Ends one session. @returns whether there was one */
export async function endSession(pool: Pool, id: string): Promise<boolean> {
  const ended = await pool.query(`delete from console_session where id = $1`, [id]);
  return ended.rowCount === 1;
}

/** Ends the session of the token with this hash, which the browser that had it forgets for another. */
export async function endFormerSession(pool: Pool, tokenHash: Buffer): Promise<void> {
  await pool.query(`delete from console_session where token_hash = $1`, [tokenHash]);
}

/** Ends all sessions of an account, but one that is named. @returns how many */
export async function endSessionsOf(
  database: Pool | ClientBase,
  accountId: string,
  exceptId?: string,
): Promise<number> {
  const ended = await database.query(`delete from console_session where account_id = $1 and id is distinct from $2`, [
    accountId,
    exceptId ?? null,
  ]);
  return ended.rowCount ?? 0;
}

/**
 * Puts a password in place of the one that was proved, and ends all sessions of the account but one, and its
 * invitation.
 *
 * @throws Problem `login.refused` when another one was set since the proof, or the account was disabled
 */
export function replacePassword(
  pool: Pool,
  accountId: string,
  of: { readonly before: string; readonly after: string; readonly sessionId: string },
): Promise<void> {
  return inTransaction(pool, async (client) => {
    // A link of before would set another one. Before the account, as whoever takes the link does it.
    await client.query(`delete from invitation where account_id = $1`, [accountId]);
    const replaced = await client.query(
      `update account set password = $2 where id = $1 and password = $3 and disabled_at is null`,
      [accountId, of.after, of.before],
    );
    if (replaced.rowCount === 0) throw new Problem('login.refused', 'The account has just been changed. Log in again.');
    await endSessionsOf(client, accountId, of.sessionId);
  });
}
