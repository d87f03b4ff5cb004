import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../../../src/access/accounts/account-rows.ts';
import { accountOfIdentity } from '../../../src/access/accounts/open-id-accounts.ts';
import { inTransaction } from '../../../src/platform/database/transactions.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

const identity = { issuer: 'https://id.example', subject: 'u-1', email: 'rosa@bank.example', name: 'Rosa', values: [] };
const roles = { '*': ['viewer'] } as const;

let home: Installation;
beforeAll(async () => {
  home = await makeInstallation();
});
afterAll(() => home.close());

describe('a first log-in in two tabs at the same time', () => {
  const areWaiting = async (): Promise<boolean> => {
    const found = await home.pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into account %'`,
    );
    return found.rowCount === 1;
  };

  it('creates one account, and both succeed', async () => {
    const inserted = Promise.withResolvers<void>();
    const isSeen = Promise.withResolvers<void>();
    const first = accountOfIdentity(home.pool, { identity, roles }, async () => {
      inserted.resolve();
      await isSeen.promise;
    });
    await inserted.promise;
    const notes: unknown[] = [];
    const second = accountOfIdentity(home.pool, { identity, roles }, async (_, granted) => void notes.push(granted));
    await expect.poll(areWaiting).toBe(true);
    isSeen.resolve();
    expect((await second).id).toBe((await first).id);
    // The first one recorded what was granted.
    expect(notes).toEqual([]);
  });

  it('does not take over a local account with the same address', async () => {
    await inTransaction(home.pool, (client) =>
      insertAccount(client, { email: 'local@bank.example', name: 'Local', roles, password: 'x' }),
    );
    const other = { ...identity, subject: 'u-2', email: 'local@bank.example' };
    const coming = accountOfIdentity(home.pool, { identity: other, roles }, async () => {});
    await expect(coming).rejects.toMatchObject({ reason: 'taken' });
  });
});
