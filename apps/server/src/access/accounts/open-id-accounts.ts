import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Account } from './account.ts';
import { AccountsFullError, insertAccount, putRoles, readAccount } from './account-rows.ts';
import type { ProvenIdentity } from './open-id.ts';
import { type Confirmed, OpenIdRefusal } from './open-id-refusal.ts';
import type { Roles } from './roles.ts';
import { endSessionsOf } from './sessions.ts';

/** Roles that the provider granted to an account, or revoked. */
export interface GrantedRoles {
  readonly account: Account;
  /** `undefined`: the account was created. */
  readonly before: Roles | undefined;
}

/**
 * Finds or creates the account of a proven identity, and sets the roles that the provider grants now. A local account
 * with the same e-mail address is not taken over.
 *
 * @param note records changed roles, in the same transaction
 * @throws OpenIdRefusal if no role is granted, the account is disabled, the address belongs to another account, or
 * there are too many accounts
 */
export async function accountOfIdentity(
  pool: Pool,
  proven: { readonly identity: ProvenIdentity; readonly roles: Roles },
  note: (client: ClientBase, granted: GrantedRoles) => Promise<void>,
): Promise<Account> {
  const outcome = await findOrMake(pool, proven, note)
    .catch((error: unknown) => {
      if (!isTaken(error)) throw error;
      // Possibly another tab of the same person has created the account by now.
      return findOrMake(pool, proven, note);
    })
    .catch((error: unknown) => {
      if (!isTaken(error) && !(error instanceof AccountsFullError)) throw error;
      const reason = error instanceof AccountsFullError ? 'full' : 'taken';
      throw new OpenIdRefusal(reason, { cause: error, who: proven.identity });
    });
  // The transaction is committed, because the loss of all roles must be stored even though the log-in fails.
  if (outcome.refused !== undefined) throw new OpenIdRefusal(outcome.refused, { who: outcome.who });
  return outcome.account;
}

/** The e-mail address already belongs to an account. */
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
    // Both are in the order of the database.
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
