/**
 * Replaces the master key of an installation, in all its databases, while processes run:
 *
 *   every process has both keys -> the new key encrypts, the old key still decrypts -> the secrets of each workspace
 *   and the second factors of console accounts are encrypted again -> the old key is no longer needed
 *
 * The database stores the progress: which key encrypts, and under which key each row is encrypted. A rotation that
 * crashed at any moment is therefore continued by the next call.
 */
import type { Pool } from 'pg';
import { sealSecondFactorsAnew } from '../../access/accounts/reseal-second-factors.ts';
import { sealAuditKeyAnew } from '../../access/audit/audit-key.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { lacksKeySomewhere } from '../../platform/secrets/key-holders.ts';
import { type MasterKey, masterKeyCheck } from '../../platform/secrets/master-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { type KeysOfDatabase, knownKey, readKeysOfDatabase } from '../../platform/secrets/sealing-key.ts';
import { readKeyUses, reseal, workspacesNotUnder } from './reseal.ts';
import { inTransaction } from '../../platform/database/transactions.ts';

export interface Rotation {
  /** The id of the key that now encrypts. */
  readonly to: string;
  /** The numbers of workspaces and secrets that this call encrypted again. */
  readonly workspaces: number;
  readonly secrets: number;
  readonly licenseKeys: number;
  readonly secondFactors: number;
  /** Ids of loaded keys that are no longer needed. */
  readonly retired: readonly string[];
  /** The files to which they were moved, out of the file of the present key. */
  readonly retiredFiles: readonly string[];
}

interface RotationDeps {
  readonly pool: Pool;
  /** The further databases of the installation. */
  readonly further: readonly Pool[];
  readonly master: MasterKeys;
  /** Called before each workspace. */
  readonly onProgress: (done: number, of: number) => void;
}

/**
 * Rotates the master key: generates a new key if keys are in a file, or uses the second one if they are in the
 * environment, and encrypts all secrets under it. If a rotation was interrupted, continues it instead of starting one.
 *
 * @throws OperatorError if there is no next key, a process does not have it, or a rotation is already running
 */
export function rotateMasterKey(deps: RotationDeps): Promise<Rotation> {
  const { pool, master } = deps;
  return oneAtATime(pool, async () => {
    const database = await readKeysOfDatabase(pool);
    for (const { masterKeyId } of await readKeyUses(pool)) knownKey(master, masterKeyId);
    const next = await nextKey(deps, database);
    if (next !== undefined) await replace(pool, database.sealing, next);
    const under = next ?? knownKey(master, database.sealing);
    const sealed = [await sealAll(deps, under)];
    for (const one of deps.further) sealed.push(await sealFurther({ ...deps, pool: one }, under));
    const retired = master.all().flatMap(({ id }) => (id === under.id ? [] : [id]));
    const retiredFiles = master.from === 'file' ? master.leaveInFile(under.id) : [];
    return { to: under.id, ...sumOf(sealed), retired, retiredFiles };
  });
}

/** A further database follows the home database. */
async function sealFurther(deps: RotationDeps, under: MasterKey): Promise<Sealed> {
  const { pool, master } = deps;
  for (const { masterKeyId } of await readKeyUses(pool)) knownKey(master, masterKeyId);
  const { sealing } = await readKeysOfDatabase(pool);
  if (sealing !== under.id) await replace(pool, sealing, under);
  return sealAll(deps, under);
}

type Sealed = Pick<Rotation, 'workspaces' | 'secrets' | 'licenseKeys' | 'secondFactors'>;

function sumOf(all: readonly Sealed[]): Sealed {
  const sum = (of: keyof Sealed): number => all.reduce((total, one) => total + one[of], 0);
  return {
    workspaces: sum('workspaces'),
    secrets: sum('secrets'),
    licenseKeys: sum('licenseKeys'),
    secondFactors: sum('secondFactors'),
  };
}

/** The key to rotate to; `undefined` if a rotation to the present key is not finished yet. */
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
      `There is no next master key: ${master.where} contains only ${sealing}, which is already in use.`,
      'Generate one with: openssl rand -base64 32. Add it after the present key, separated by a space, restart the processes one after the other with both keys, and repeat this command.',
    );
  }
  if (await lacksKeySomewhere(pool, next.id)) {
    throw new OperatorError(
      `A running process does not have the next master key ${next.id}, and could not decrypt secrets encrypted with it.`,
      'Restart the processes one after the other with both keys, and repeat this command.',
    );
  }
  return next;
}

/** Makes `next` the encrypting key from the commit on. Waits for transactions that encrypt with the previous key. */
function replace(pool: Pool, sealing: string, next: MasterKey): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(`select 1 from installation for update`);
    await client.query(`insert into retired_master_key (id) values ($1) on conflict do nothing`, [sealing]);
    await client.query(`update installation set master_key_id = $1, master_key_check = $2`, [
      next.id,
      masterKeyCheck(next),
    ]);
  });
}

async function sealAll({ pool, master, onProgress }: RotationDeps, under: MasterKey): Promise<Sealed> {
  const workspaces = await workspacesNotUnder(pool, under.id);
  const total = { workspaces: workspaces.length, secrets: 0, licenseKeys: 0 };
  for (const [done, workspaceId] of workspaces.entries()) {
    onProgress(done, workspaces.length);
    const { secrets, licenseKeys } = await reseal(pool, master, { workspaceId, under });
    total.secrets += secrets;
    total.licenseKeys += licenseKeys;
  }
  await sealAuditKeyAnew(pool, master, under);
  return { ...total, secondFactors: await sealSecondFactorsAnew(pool, master, under) };
}

const rotationLock = `hashtextextended('ringfence.rotate-master-key', 0)`;

/** @throws OperatorError if another rotation is running */
async function oneAtATime<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const tried = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(${rotationLock}) as mine`);
    if (!tried.rows[0]!.mine)
      throw new OperatorError('Another rotation is already running.', 'Wait until it has finished.');
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
