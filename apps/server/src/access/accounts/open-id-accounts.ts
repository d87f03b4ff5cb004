import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { AccountsFullError, insertAccount, putRoles, readAccount } from './account-rows.ts';
import type { ProvenIdentity } from './open-id.ts';
import { type Confirmed, OpenIdRefusal } from './open-id-refusal.ts';
import type { Roles } from './roles.ts';
import { endSessionsOf } from './sessions.ts';

/** What the provider gave an account, or took from it. */
export interface GrantedRoles {
  readonly account: Account;
  /** `undefined`: the account was made. */
  readonly before: Roles | undefined;
}

/**
 * The account of a proven identity, with the roles that the provider grants now: made when there is none. An account of
 * our own with the same e-mail address is not taken over.
 *
 * @param note keeps what was granted otherwise than before, in the same transaction
 * @throws OpenIdRefusal when nothing is granted, the account is disabled, the address is another account's, or there are
 *   too many accounts
 */
export async function accountOfIdentity(
  pool: Pool,
  proven: { readonly identity: ProvenIdentity; readonly roles: Roles },
  note: (client: ClientBase, granted: GrantedRoles) => Promise<void>,
): Promise<Account> {
  const outcome = await findOrMake(pool, proven, note)
    .catch((error: unknown) => {
      if (!isTaken(error)) throw error;
      // By another tab of the same person, it may be: whose account is there by now.
      return findOrMake(pool, proven, note);
    })
    .catch((error: unknown) => {
      if (!isTaken(error) && !(error instanceof AccountsFullError)) throw error;
      const reason = error instanceof AccountsFullError ? 'full' : 'taken';
      throw new OpenIdRefusal(reason, { cause: error, who: proven.identity });
    });
  // That nothing is granted any more is kept, whatever becomes of the log-in.
  if (outcome.refused !== undefined) throw new OpenIdRefusal(outcome.refused, { who: outcome.who });
  return outcome.account;
}

/** The e-mail address is that of an account already. */
function isTaken(error: unknown): boolean {
  return error instanceof Problem && error.code === 'state.conflict' && !(error instanceof AccountsFullError);
}

type Outcome =
  | { readonly refused?: undefined; readonly account: Account }
  | { readonly refused: 'nothingGranted' | 'disabled'; readonly who: Confirmed };

function findOrMake(
  pool: Pool,
  { identity, roles }: { readonly identity: ProvenIdentity; readonly roles: Roles },
  note: (client: ClientBase, granted: GrantedRoles) => Promise<void>,
): Promise<Outcome> {
  const { issuer, subject, email, name } = identity;
  const isNothing = Object.keys(roles).length === 0;
  return inTransaction<Outcome>(pool, async (client) => {
    const found = await client.query<{ id: string }>(
      `select id from account where issuer = $1 and subject = $2 for update`,
      [issuer, subject],
    );
    const id = found.rows[0]?.id;
    if (id === undefined) {
      if (isNothing) return { refused: 'nothingGranted', who: identity };
      const account = await insertAccount(client, { email, name, roles, identity });
      await note(client, { account, before: undefined });
      return { account };
    }
    const { roles: before } = await readAccount(client, id);
    await putRoles(client, id, roles);
    const account = await readAccount(client, id);
    // Both as the database orders them.
    if (JSON.stringify(account.roles) !== JSON.stringify(before)) await note(client, { account, before });
    const who = { issuer, subject, email: account.email };
    if (isNothing) {
      await endSessionsOf(client, id);
      return { refused: 'nothingGranted', who };
    }
    if (account.disabledAtMs !== undefined) return { refused: 'disabled', who };
    return { account };
  });
}
