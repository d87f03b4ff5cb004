/**
 * Another master key takes the place of the one that seals a database, while processes run:
 *
 *   every process has both keys -> the new one seals, the old one opens -> each workspace, and the second
 *   factors of the console's accounts, are sealed anew -> the old one is needed no more
 *
 * The database says how far it is: which key seals, and under which each row is sealed. So whoever begins again after a
 * crash, at whatever moment, goes on where it ended.
 */
import type { Pool } from 'pg';
import { sealSecondFactorsAnew } from '../../access/accounts/reseal-second-factors.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { lacksKeySomewhere } from '../../platform/secrets/key-holders.ts';
import { type MasterKey, masterKeyCheck } from '../../platform/secrets/master-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { type KeysOfDatabase, knownKey, readKeysOfDatabase } from '../../platform/secrets/sealing-key.ts';
import { readKeyUses, sealAnew, workspacesNotUnder } from './reseal.ts';
import { inTransaction } from '../../platform/database/transactions.ts';

export interface Rotation {
  /** The key that seals from now on. */
  readonly to: string;
  /** What this call sealed anew. */
  readonly workspaces: number;
  readonly secrets: number;
  readonly licenseKeys: number;
  readonly secondFactors: number;
  /** Keys that nothing is sealed under any more, and that are still at hand. */
  readonly retired: readonly string[];
  /** Files that they were put into, out of the file of the present key. */
  readonly retiredFiles: readonly string[];
}

interface RotationDeps {
  readonly pool: Pool;
  readonly master: MasterKeys;
  /** Called before each workspace. */
  readonly onProgress: (done: number, of: number) => void;
}

/**
 * Makes a new master key where keys are in a file; takes the second one where they are in the environment. Seals
 * everything under it. Goes on with a rotation that was interrupted, before it begins another.
 *
 * @throws OperatorError when there is no next key, a process does not have it, or a rotation runs already
 */
export function rotateMasterKey(deps: RotationDeps): Promise<Rotation> {
  const { pool, master } = deps;
  return oneAtATime(pool, async () => {
    const database = await readKeysOfDatabase(pool);
    for (const { masterKeyId } of await readKeyUses(pool)) knownKey(master, masterKeyId);
    const next = await nextKey(deps, database);
    if (next !== undefined) await replace(pool, database.sealing, next);
    const under = next ?? knownKey(master, database.sealing);
    const sealed = await sealAll(deps, under);
    const retired = master.all().flatMap(({ id }) => (id === under.id ? [] : [id]));
    const retiredFiles = master.from === 'file' ? master.leaveInFile(under.id) : [];
    return { to: under.id, ...sealed, retired, retiredFiles };
  });
}

/** The key that is to seal; `undefined` when the one that seals has just taken the place of another. */
async function nextKey(
  { pool, master }: RotationDeps,
  { sealing, retiredAt }: KeysOfDatabase,
): Promise<MasterKey | undefined> {
  const others = master.all().filter(({ id }) => id !== sealing);
  if (others.some(({ id }) => retiredAt.has(id))) return undefined;
  if ((await readKeyUses(pool)).some(({ masterKeyId }) => masterKeyId !== sealing)) return undefined;
  const next = others[0] ?? (master.from === 'file' ? master.addToFile() : undefined);
  if (next === undefined) {
    throw new OperatorError(
      `There is no next master key: ${master.where} has only ${sealing}, which seals already.`,
      'Make one with: openssl rand -base64 32. Put it beside the present one, with a space between, start every process again with both, one after the other, and repeat this.',
    );
  }
  if (await lacksKeySomewhere(pool, next.id)) {
    throw new OperatorError(
      `A process is running that does not have the next master key ${next.id}: it could not open what is sealed under it.`,
      'Start every process again with both keys, one after the other, and repeat this.',
    );
  }
  return next;
}

/** From the commit on, `next` seals. Waits for transactions that seal under the one before. */
function replace(pool: Pool, sealing: string, next: MasterKey): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(`select 1 from installation for update`);
    await client.query(`insert into retired_master_key (id) values ($1)`, [sealing]);
    await client.query(`update installation set master_key_id = $1, master_key_check = $2`, [
      next.id,
      masterKeyCheck(next),
    ]);
  });
}

async function sealAll(
  { pool, master, onProgress }: RotationDeps,
  under: MasterKey,
): Promise<Pick<Rotation, 'workspaces' | 'secrets' | 'licenseKeys' | 'secondFactors'>> {
  const workspaces = await workspacesNotUnder(pool, under.id);
  const total = { workspaces: workspaces.length, secrets: 0, licenseKeys: 0 };
  for (const [done, workspaceId] of workspaces.entries()) {
    onProgress(done, workspaces.length);
    const { secrets, licenseKeys } = await sealAnew(pool, master, { workspaceId, under });
    total.secrets += secrets;
    total.licenseKeys += licenseKeys;
  }
  return { ...total, secondFactors: await sealSecondFactorsAnew(pool, master, under) };
}

const rotationLock = `hashtextextended('ringfence.rotate-master-key', 0)`;

/** @throws OperatorError when somebody else is at it */
async function oneAtATime<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const tried = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(${rotationLock}) as mine`);
    if (!tried.rows[0]!.mine) throw new OperatorError('A rotation is under way already.', 'Wait until it has ended.');
    try {
      return await work();
    } finally {
      await client.query(`select pg_advisory_unlock(${rotationLock})`).catch((error: unknown) => {
        broken = error as Error;
      });
    }
  } finally {
    client.release(broken);
  }
}
