/**
 * Sessions of the console: a random token in a cookie, and its hash in the database. Every request checks the database,
 * so that an ended session ends immediately in every process.
 *
 *     opened --(15 min without a request, 12 h in all, log-out, an administrator, a disabled account)--> gone
 */
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { accountColumns, accountOf, type AccountRow } from './account-rows.ts';
import type { EndedAtProvider } from './log-out-token.ts';
import { makeSecretToken, secretTokenHash } from './secret-token.ts';

export const idleMsMax = 15 * 60_000;
export const sessionMsMax = 12 * 3_600_000;
/** Precision of the last request's time: written once a minute, not with every request. */
const seenEveryMs = 60_000;
/** Maximum per account; a new session replaces the oldest. */
const sessionsMax = 20;
const agentLengthMax = 200;

export interface ConsoleSession {
  readonly id: string;
  readonly account: Account;
  readonly openedAtMs: number;
  readonly seenAtMs: number;
  /** Absolute end of the session. */
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
  /** The verified password; `undefined` if the log-in used no password. */
  readonly proof?: {
    readonly passwordHash: string;
    /** Whether the account had a second factor at that time: one confirmed since was not checked. */
    readonly hasSecondFactor: boolean;
  };
  readonly address: string;
  readonly agent: string;
  /** What the OpenID provider calls its session. */
  readonly providerSession?: string | undefined;
  readonly nowMs: number;
}

/**
 * Opens a session for an authenticated account. Only the answer contains the token.
 *
 * @throws Problem `login.refused` if the password or the second factor changed since the proof, or the account was
 * disabled
 */
export async function openSession(pool: Pool, of: NewSession): Promise<Opened> {
  const { accountId, proof, address, agent, providerSession, nowMs } = of;
  const token = makeSecretToken();
  const id = `ses_${randomId(12)}`;
  await pool.query(
    `delete from console_session where opened_at <= $1 or seen_at <= $2
        or id in (select id from console_session where account_id = $3 order by opened_at desc offset ${sessionsMax - 1})`,
    [new Date(nowMs - sessionMsMax), new Date(nowMs - idleMsMax), accountId],
  );
  await inTransaction(pool, async (client) => {
    // Setting another password or a second factor, or disabling the account, ends its sessions. The lock makes sure
    // that this session is inserted before such a change, or not at all.
    const present = await client.query(
      `select 1 from account where id = $1 and disabled_at is null and ($2::text is null or password = $2)
          and ($3 or totp_since is null)
          for share`,
      [accountId, proof?.passwordHash ?? null, proof?.hasSecondFactor ?? true],
    );
    if (present.rowCount === 0) throw new Problem('login.refused', 'The account has just been changed. Log in again.');
    await client.query(
      `insert into console_session (id, token_hash, account_id, opened_at, seen_at, address, agent, provider_session)
       values ($1, $2, $3, $4, $4, $5, $6, $7)`,
      [
        id,
        secretTokenHash(token),
        accountId,
        new Date(nowMs),
        address,
        agent.slice(0, agentLengthMax),
        providerSession ?? null,
      ],
    );
  });
  return { token, id };
}

/**
 * Finds the valid session of a token.
 *
 * @param isUse false for a request that a page sends on a timer: it does not extend the session
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

/** A session as shown to an administrator. */
export interface ListedSession {
  readonly id: string;
  readonly openedAtMs: number;
  readonly seenAtMs: number;
  readonly address: string;
  readonly agent: string;
}

/** Lists the open sessions of an account, newest first. */
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

/** Ends one session. @returns whether it existed */
export async function endSession(pool: Pool, id: string): Promise<boolean> {
  const ended = await pool.query(`delete from console_session where id = $1`, [id]);
  return ended.rowCount === 1;
}

/** Ends the session with this token hash: the browser's previous one, which a new log-in replaces. */
export async function endFormerSession(pool: Pool, tokenHash: Buffer): Promise<void> {
  await pool.query(`delete from console_session where token_hash = $1`, [tokenHash]);
}

/** Ends all sessions of an account except the given one. @returns their number */
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
 * Ends the sessions that an OpenID provider ended: all of the person, or those of one session there.
 *
 * @returns the accounts whose sessions ended, by e-mail address, and how many
 */
export async function endSessionsAtProvider(
  pool: Pool,
  { issuer, subject, session }: EndedAtProvider,
): Promise<readonly { readonly email: string; readonly sessions: number }[]> {
  const ended = await pool.query<{ email: string; sessions: number }>(
    `with ended as (
       delete from console_session s using account a
        where a.id = s.account_id and a.issuer = $1
          and (a.subject = $2 or ($2::text is null and s.provider_session = $3))
        returning a.email)
     select email, count(*)::integer as sessions from ended group by email`,
    [issuer, subject ?? null, session ?? null],
  );
  return ended.rows;
}

/**
 * Replaces the verified password, and ends all sessions of the account except one, and its invitation.
 *
 * @throws Problem `login.refused` if the password changed since the proof, or the account was disabled
 */
export function replacePassword(
  pool: Pool,
  accountId: string,
  of: { readonly before: string; readonly after: string; readonly sessionId: string },
): Promise<void> {
  return inTransaction(pool, async (client) => {
    // An earlier link could set another password. Locked before the account, in the same order as accepting a link
    // does.
    await client.query(`delete from invitation where account_id = $1`, [accountId]);
    const replaced = await client.query(
      `update account set password = $2 where id = $1 and password = $3 and disabled_at is null`,
      [accountId, of.after, of.before],
    );
    if (replaced.rowCount === 0) throw new Problem('login.refused', 'The account has just been changed. Log in again.');
    await endSessionsOf(client, accountId, of.sessionId);
  });
}
