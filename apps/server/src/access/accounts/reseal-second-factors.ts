import type { Pool } from 'pg';
import type { MasterKey } from '../../platform/secrets/master-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import { knownKey } from '../../platform/secrets/sealing-key.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { totpPlace } from './second-factor.ts';

/**
 * Encrypts the secrets of all second factors under this master key, in one transaction: there are at most 2,000.
 *
 * @returns the number of secrets
 * @throws OperatorError if a master key that encrypts one of them is missing
 */
export function sealSecondFactorsAnew(pool: Pool, keys: MasterKeys, under: MasterKey): Promise<number> {
  return inTransaction(pool, async (client) => {
    const found = await client.query<{ id: string; master_key_id: string; totp_sealed: Buffer }>(
      `select id, master_key_id, totp_sealed from account where master_key_id <> $1 order by id for update`,
      [under.id],
    );
    for (const { id, master_key_id: keyId, totp_sealed: sealed } of found.rows) {
      const secret = open(knownKey(keys, keyId).key, sealed, totpPlace(id));
      await client.query(`update account set totp_sealed = $2, master_key_id = $3 where id = $1`, [
        id,
        seal(under.key, secret, totpPlace(id)),
        under.id,
      ]);
    }
    return found.rows.length;
  });
}
