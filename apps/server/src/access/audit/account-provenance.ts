import type { ClientBase, Pool } from 'pg';

/** Through whose hands an account came: whoever makes one, or a link to it, could set its password. */
export interface AccountMakers {
  /** The e-mail address of the account. */
  readonly account: string;
  readonly madeBy: string;
  readonly madeAtMs: number;
  /** Who made the newest further link by which its password could be set. */
  readonly linkBy?: string;
  readonly linkAtMs?: number;
}

/**
 * Who made these accounts, after the audit log, in their order. Left out are those that a provider vouches for, the
 * first one, and those that are gone.
 */
export async function readAccountMakers(
  database: Pool | ClientBase,
  emails: readonly string[],
): Promise<readonly AccountMakers[]> {
  const found = await database.query<{ email: string; action: string; actor: string; at: Date }>(
    `select a.email, e.action, e.actor, e.at
       from account a cross join lateral (
         select distinct on (action) action, actor, at from audit_entry
          where target = a.id and action in ('createAccount', 'inviteAccount') order by action, seq desc) e
      where a.email = any($1)`,
    [emails],
  );
  const byAccount = Map.groupBy(found.rows, ({ email }) => email);
  return [...new Set(emails)].flatMap((account) => {
    const entries = byAccount.get(account) ?? [];
    const made = entries.find(({ action }) => action === 'createAccount');
    if (made === undefined) return [];
    const link = entries.find(({ action }) => action === 'inviteAccount');
    const linked = link === undefined ? {} : { linkBy: link.actor, linkAtMs: link.at.getTime() };
    return [{ account, madeBy: made.actor, madeAtMs: made.at.getTime(), ...linked }];
  });
}
