import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { inTransaction } from '../database/transactions.ts';
import type { Account } from './account.ts';
import { AccountsFullError, insertAccount, putRoles, readAccount } from './account-rows.ts';
import type { ProvenIdentity } from './open-id.ts';
import { OpenIdRefusal } from './open-id-refusal.ts';
import type { Roles } from './roles.ts';
import { endSessionsOf } from './sessions.ts';

/**
 * The account of a proven identity, with the roles that the provider grants now: made when there is none. An account of
 * our own with the same e-mail address is not taken over.
 *
 * @throws OpenIdRefusal when nothing is granted, the account is disabled, the address is another account's, or there are
 *   too many accounts
 */
export function accountOfIdentity(pool: Pool, identity: ProvenIdentity, roles: Roles): Promise<Account> {
  const { issuer, subject, email, name } = identity;
  return inTransaction(pool, async (client) => {
    const found = await client.query<{ id: string; email: string; disabled_at: Date | null }>(
      `select id, email, disabled_at from account where issuer = $1 and subject = $2 for update`,
      [issuer, subject],
    );
    const present = found.rows[0];
    const who = { issuer, subject, email: present?.email ?? email };
    if (present === undefined) {
      if (Object.keys(roles).length === 0) return { refused: 'nothingGranted', who } as const;
      return { account: await insertAccount(client, { email, name, roles, identity }) } as const;
    }
    await putRoles(client, present.id, roles);
    if (Object.keys(roles).length === 0) {
      await endSessionsOf(client, present.id);
      return { refused: 'nothingGranted', who } as const;
    }
    if (present.disabled_at !== null) return { refused: 'disabled', who } as const;
    return { account: await readAccount(client, present.id) } as const;
  })
    .catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'state.conflict') throw error;
      throw new OpenIdRefusal(error instanceof AccountsFullError ? 'full' : 'taken', { cause: error, who: identity });
    })
    .then((outcome) => {
      // That nothing is granted any more is kept, whatever becomes of the log-in.
      if (outcome.refused !== undefined) throw new OpenIdRefusal(outcome.refused, { who: outcome.who });
      return outcome.account;
    });
}
