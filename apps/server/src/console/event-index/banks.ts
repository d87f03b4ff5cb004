import type { ClientBase } from 'pg';

/** Banks that are kept to find an account by its number alone; the clients of a bank pay to a few hundred others. */
const banksMax = 1_000;
const bankLengthMax = 64;

/** @param account in the form of `entitiesOf`: `bank/number` */
export function bankOf(account: string | undefined): string | undefined {
  return account?.slice(0, account.indexOf('/'));
}

/** Stores the banks of accounts, in the caller's transaction. */
export async function putBanks(client: ClientBase, workspaceId: string, banks: readonly string[]): Promise<void> {
  if (banks.length === 0) return;
  await client.query({
    name: 'put_banks',
    text: `insert into console_bank (workspace_id, bank)
           select $1, b from unnest($2::text[]) b
            where length(b) <= ${bankLengthMax} and (select count(*) from console_bank where workspace_id = $1) < ${banksMax}
               and not exists (select 1 from console_bank k where k.workspace_id = $1 and k.bank = b)
           on conflict do nothing`,
    values: [workspaceId, banks],
  });
}
