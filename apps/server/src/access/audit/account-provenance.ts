import type { ClientBase, Pool } from 'pg';

/** Who could have set the password of an account: the person who created the account, or a link to it. */
export interface AccountProvenance {
  /** The e-mail address of the account. */
  readonly account: string;
  readonly madeBy: string;
  readonly madeAtMs: number;
  /** Who created the newest further link for setting its password. */
  readonly linkBy?: string;
  readonly linkAtMs?: number;
}

/**
 * Looks up who created these accounts, in the audit log; in the order of the accounts. Leaves out accounts of a
 * provider, the first account, and removed ones.
 */
export async function readAccountProvenance(
  database: Pool | ClientBase,
  emails: readonly string[],
): Promise<readonly AccountProvenance[]> {
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
