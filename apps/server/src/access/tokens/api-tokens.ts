/**
 * Tokens of the management API, for programs that need less than the admin token may do:
 *
 *     created --> live --(at its end, or revoked)--> refused for good
 *
 * A token has a name, scopes, workspaces and an end. Its text is shown once; the database has its hash. Every request
 * checks the database, so that a revoked token is refused immediately by every process.
 */
import { dayMs, minuteMs, Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { generateSecret, isGeneratedSecret } from '../../platform/secrets/generated-secret.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import { everywhere } from '../accounts/roles.ts';
import { secretTokenHash } from '../accounts/secret-token.ts';
import { isScope, type Scope } from './scopes.ts';

const prefix = 'rf_token_';
/** Before the name of a token, where authors are named. No e-mail address starts with it. */
const authorPrefix = 'token:';
/** Per installation, revoked ones included: more than this is a mistake. */
const tokensMax = 1_000;
/** Precision of the last use: written once a minute, not with every request. */
const usedEveryMs = minuteMs;

export const tokenDaysMax = 730;
export const tokenDaysDefault = 90;
export const tokenNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/;
export const tokenNameExpected = '1 to 60 letters, digits, ".", "_" or "-", starting with a letter or digit';

/** A token, without its text. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  /** The prefix and the last four characters. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  /** Ids of workspaces, or `everywhere`. */
  readonly workspaces: readonly string[];
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | undefined;
  /** Lags by at most a minute. */
  readonly lastUsedAtMs: number | undefined;
}

export type TokenState = 'live' | 'ended' | 'revoked';

export function stateOf({ revokedAtMs, expiresAtMs }: ApiToken, nowMs: number): TokenState {
  if (revokedAtMs !== undefined) return 'revoked';
  return nowMs < expiresAtMs ? 'live' : 'ended';
}

/** Whether the token is for this workspace; `everywhere`: for the installation as a whole. */
export function isForWorkspace({ workspaces }: ApiToken, workspaceId: string): boolean {
  return workspaces.includes(everywhere) || workspaces.includes(workspaceId);
}

interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly workspaces: readonly string[];
  readonly days: number;
  readonly createdBy: string;
  readonly nowMs: number;
}

/**
 * Creates a token. Only the answer contains its text.
 *
 * @throws Problem `state.conflict` if the name is or was taken, or there are too many tokens
 */
export async function createToken(
  database: Pool | ClientBase,
  wanted: NewToken,
): Promise<{ readonly token: ApiToken; readonly text: string }> {
  const { name, scopes, workspaces, days, createdBy, nowMs } = wanted;
  const text = generateSecret(prefix);
  const inserted = await database.query<TokenRow>(
    `insert into api_token (id, name, hash, hint, scopes, workspaces, created_at, created_by, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9 where (select count(*) from api_token) < ${tokensMax}
     on conflict (name) do nothing returning ${columns}`,
    [
      `tok_${randomId(12)}`,
      name,
      secretTokenHash(text),
      `${prefix}…${text.slice(-4)}`,
      [...new Set(scopes)].toSorted(),
      workspaces.includes(everywhere) ? [everywhere] : [...new Set(workspaces)].toSorted(),
      new Date(nowMs),
      createdBy,
      new Date(nowMs + days * dayMs),
    ],
  );
  const row = inserted.rows[0];
  if (row !== undefined) return { token: tokenOf(row), text };
  const taken = await database.query(`select 1 from api_token where name = $1`, [name]);
  throw new Problem(
    'state.conflict',
    taken.rowCount === 0
      ? `There are already ${tokensMax} tokens, the maximum.`
      : `There is or was a token with the name "${name}". A name is used once, so that the audit log stays clear.`,
  );
}

/** All tokens, revoked ones included, newest first. */
export async function listTokens(database: Pool | ClientBase): Promise<readonly ApiToken[]> {
  const found = await database.query<TokenRow>(`select ${columns} from api_token order by created_at desc, id`);
  return found.rows.map(tokenOf);
}

/**
 * Revokes a token for good. Does nothing if it is already revoked.
 *
 * @param named its id or its name
 * @throws Problem `thing.unknown`
 */
export async function revokeToken(database: Pool | ClientBase, named: string, nowMs: number): Promise<ApiToken> {
  const found = await database.query<TokenRow>(
    `update api_token set revoked_at = coalesce(revoked_at, $2) where id = $1 or name = $1 returning ${columns}`,
    [named, new Date(nowMs)],
  );
  const row = found.rows[0];
  if (row === undefined) throw new Problem('thing.unknown', `There is no token "${named}".`);
  return tokenOf(row);
}

/** Finds the token with this text, also a revoked one, and notes the use of a live one. */
export async function findToken(pool: Pool, text: string, nowMs: number): Promise<ApiToken | undefined> {
  if (!isGeneratedSecret(prefix, text)) return undefined;
  const found = await pool.query<TokenRow>({
    name: 'api_token',
    text: `select ${columns} from api_token where hash = $1`,
    values: [secretTokenHash(text)],
  });
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const token = tokenOf(row);
  if (stateOf(token, nowMs) === 'live' && nowMs - (token.lastUsedAtMs ?? 0) >= usedEveryMs) {
    await pool.query(`update api_token set last_used_at = $2 where id = $1`, [token.id, new Date(nowMs)]);
  }
  return token;
}

/** How the audit log and other records name a token as an author. */
export function authorOf({ name }: ApiToken): string {
  return `${authorPrefix}${name}`;
}

/**
 * The author who answers for what `author` does: for a token the one who created it, also after it was revoked; any
 * other author for itself. Where two persons are required, these are compared.
 */
export async function responsibleFor(database: Pool | ClientBase, author: string): Promise<string> {
  if (!author.startsWith(authorPrefix)) return author;
  const found = await database.query<{ created_by: string }>(`select created_by from api_token where name = $1`, [
    author.slice(authorPrefix.length),
  ]);
  return found.rows[0]?.created_by ?? author;
}

/** Whether the token was neither revoked nor has ended since. */
export async function isTokenLive(pool: Pool, id: string, nowMs: number): Promise<boolean> {
  const found = await pool.query(`select 1 from api_token where id = $1 and revoked_at is null and expires_at > $2`, [
    id,
    new Date(nowMs),
  ]);
  return found.rowCount === 1;
}

const columns = 'id, name, hint, scopes, workspaces, created_at, created_by, expires_at, revoked_at, last_used_at';

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly workspaces: readonly string[];
  readonly created_at: Date;
  readonly created_by: string;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

function tokenOf(row: TokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    // A newer release may have stored scopes that this one does not know: they grant nothing here.
    scopes: row.scopes.filter(isScope),
    workspaces: row.workspaces,
    createdAtMs: row.created_at.getTime(),
    createdBy: row.created_by,
    expiresAtMs: row.expires_at.getTime(),
    revokedAtMs: row.revoked_at?.getTime(),
    lastUsedAtMs: row.last_used_at?.getTime(),
  };
}
