import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../operations/operator-error.ts';
import { readOrMakeSecretFile, readSecretFile } from './secret-file.ts';

export const masterKeyBytes = 32;

/** The key that seals every other secret at rest. It is never in the database. */
export interface MasterKey {
  readonly key: Buffer;
  /** Names the key without telling it: what is sealed says under which key, so that keys can be changed one by one. */
  readonly id: string;
  readonly from: 'environment' | 'file';
  /** The file, when it is kept in one. */
  readonly path: string | undefined;
  /** It was made by this start. */
  readonly made: boolean;
}

/** `undefined` unless the text is exactly 32 bytes, in hex (64 digits) or base64 (43 or 44 characters, either alphabet). */
export function parseMasterKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === masterKeyBytes ? bytes : undefined;
}

export function masterKeyPath(home: string): string {
  return join(home, 'secrets', 'master.key');
}

/**
 * The master key of this installation: RINGFENCE_MASTER_KEY when it is set, else `home/secrets/master.key`, made at
 * the first start.
 *
 * @param mayMake false for commands: a key that is missing is not replaced by one that opens nothing
 * @throws OperatorError for another length, an unknown form, a file that others can read, a missing key
 */
export function loadMasterKey(home: string, fromEnvironment: string | undefined, mayMake = true): MasterKey {
  if (fromEnvironment !== undefined && fromEnvironment.trim() !== '') {
    const key = parseMasterKey(fromEnvironment.trim());
    if (key === undefined) throw badForm('RINGFENCE_MASTER_KEY', fromEnvironment.trim());
    return { key, id: masterKeyId(key), from: 'environment', path: undefined, made: false };
  }
  const path = masterKeyPath(home);
  if (!mayMake && readSecretFile(path) === undefined) {
    throw new OperatorError(
      `There is no master key: RINGFENCE_MASTER_KEY is not set, and ${path} does not exist.`,
      'Set RINGFENCE_MASTER_KEY as it is set for the service, or name its home with --home.',
    );
  }
  const file = readOrMakeSecretFile(path, () => randomBytes(masterKeyBytes).toString('base64'));
  const key = parseMasterKey(file.text);
  if (key === undefined) throw badForm(path, file.text);
  return { key, id: masterKeyId(key), from: 'file', path, made: file.made };
}

function badForm(where: string, text: string): OperatorError {
  return new OperatorError(
    `${where} is not a master key: expected 32 bytes as 64 hex digits or 44 characters of base64, and it has ${text.length} characters.`,
    'Make one with: openssl rand -base64 32',
  );
}

/** 8 hex digits; a one-way name. */
function masterKeyId(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('ringfence master key id\0'), key]), 'hex').slice(0, 8);
}

/** What the database keeps to recognise the key: says nothing about it to who does not have it. */
function checkValue(key: Buffer): Buffer {
  return createHmac('sha256', key).update('ringfence master key check').digest();
}

/**
 * Makes sure that this database was sealed with this master key; a new database takes the key as its own.
 *
 * @throws OperatorError when it was sealed with another one: nothing could be opened, and what is written now could
 *   not be opened later
 */
export async function verifyMasterKey(database: Pool | ClientBase, master: MasterKey): Promise<void> {
  const value = checkValue(master.key);
  await database.query(
    `insert into installation (master_key_id, master_key_check) values ($1, $2) on conflict (singleton) do nothing`,
    [master.id, value],
  );
  const found = await database.query<{ master_key_id: string; master_key_check: Buffer }>(
    `select master_key_id, master_key_check from installation`,
  );
  const row = found.rows[0]!;
  if (timingSafeEqual(row.master_key_check, value)) return;
  // A key that opens nothing would only be in the way of the right one.
  if (master.made) rmSync(master.path!);
  const where = master.from === 'environment' ? 'RINGFENCE_MASTER_KEY' : master.path;
  throw new OperatorError(
    `The master key in ${where} (id ${master.id}) is not the one that sealed this database (id ${row.master_key_id}).`,
    master.made
      ? `The key was made just now, so the old one is missing: put it back into RINGFENCE_MASTER_KEY or ${master.path}.`
      : 'Give the key that this database was made with, or the database that belongs to this key. Without it nothing sealed can be opened.',
  );
}
