import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { OperatorError } from '../observability/operator-error.ts';
import { type MasterKey, masterKeyBytes, parseMasterKey } from './master-key.ts';
import { readOrMakeSecretFile, readSecretFile, removeSecretFile, replaceSecretFile } from './secret-file.ts';

/** Where the master keys of an installation come from. */
export interface MasterKeySource {
  readonly home: string;
  /** RINGFENCE_MASTER_KEY; `undefined` or empty: `home/secrets/master.key`. */
  readonly fromEnvironment: string | undefined;
}

/** One, and another while that takes its place. */
const keysMax = 2;

export function masterKeyPath(home: string): string {
  return join(home, 'secrets', 'master.key');
}

/** Where a key goes that nothing is sealed under any more: it still opens older backups. */
export function retiredKeyPath(home: string, id: string): string {
  return join(home, 'secrets', `master-key-${id}.retired`);
}

/**
 * The master keys that a process has: one, or two while one takes the place of the other. The database says which of
 * them seals (`sealingKey`), so their order says nothing.
 */
export class MasterKeys {
  readonly source: MasterKeySource;
  readonly from: 'environment' | 'file';
  /** Where they stand, for people. */
  readonly where: string;
  /** The key was made by this start. */
  readonly made: boolean;
  #keys: readonly MasterKey[];

  private constructor(source: MasterKeySource, text: string, made: boolean) {
    this.source = source;
    this.from = isGiven(source.fromEnvironment) ? 'environment' : 'file';
    this.where = this.from === 'environment' ? 'RINGFENCE_MASTER_KEY' : masterKeyPath(source.home);
    this.made = made;
    this.#keys = parseKeys(this.where, text);
  }

  /**
   * The keys of RINGFENCE_MASTER_KEY when it is set, else of `home/secrets/master.key`, made at the first start.
   *
   * @param mayMake false for commands: a key that is missing is not replaced by one that opens nothing
   * @throws OperatorError for another length, an unknown form, a file that others can read, a missing key
   */
  static load(source: MasterKeySource, mayMake = true): MasterKeys {
    if (isGiven(source.fromEnvironment)) return new MasterKeys(source, source.fromEnvironment, false);
    const path = masterKeyPath(source.home);
    if (!mayMake && readSecretFile(path) === undefined) {
      throw new OperatorError(
        `There is no master key: RINGFENCE_MASTER_KEY is not set, and ${path} does not exist.`,
        'Set RINGFENCE_MASTER_KEY as it is set for the service, or name its home with --home.',
      );
    }
    const file = readOrMakeSecretFile(path, newKeyText);
    return new MasterKeys(source, file.text, file.made);
  }

  all(): readonly MasterKey[] {
    return this.#keys;
  }

  /** The key of that name; the file is read again for one that is not known, since a rotation adds keys to it. */
  get(id: string): MasterKey | undefined {
    return this.#find(id) ?? (this.#readAgain() ? this.#find(id) : undefined);
  }

  /** Adds a new key to the file. When this returns, it survives a power failure. */
  addToFile(): MasterKey {
    const text = newKeyText();
    replaceSecretFile(this.where, [...this.#keys.map(printKey), text].join('\n'));
    this.#readAgain();
    return parseMasterKey(text)!;
  }

  /**
   * Leaves only this key in the file; each other one gets a file of its own.
   *
   * @returns the files of the others
   */
  leaveInFile(id: string): readonly string[] {
    const others = this.#keys.filter((key) => key.id !== id);
    const paths = others.map((key) => {
      const path = retiredKeyPath(this.source.home, key.id);
      replaceSecretFile(path, printKey(key));
      return path;
    });
    if (others.length > 0) replaceSecretFile(this.where, printKey(this.#find(id)!));
    return paths;
  }

  /** Takes back the file that this start has made: a key that opens nothing would only be in the way of the right one. */
  unmake(): void {
    removeSecretFile(this.where);
  }

  #find(id: string): MasterKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  #readAgain(): boolean {
    if (this.from === 'environment') return false;
    const text = readSecretFile(this.where);
    if (text === undefined) return false;
    // What it has is kept: a key that left the file may still be the one of a row that was read before.
    const added = parseKeys(this.where, text).filter(({ id }) => this.#find(id) === undefined);
    this.#keys = [...this.#keys, ...added];
    return added.length > 0;
  }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function newKeyText(): string {
  return randomBytes(masterKeyBytes).toString('base64');
}

function printKey({ key }: MasterKey): string {
  return key.toString('base64');
}

function parseKeys(where: string, text: string): readonly MasterKey[] {
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .map((part) => {
      const key = parseMasterKey(part);
      if (key !== undefined) return key;
      throw new OperatorError(
        `${where} is not a master key: expected 32 bytes as 64 hex digits or 44 characters of base64, and it has ${part.length} characters.`,
        'Make one with: openssl rand -base64 32',
      );
    });
  if (keys.length <= keysMax) return keys;
  throw new OperatorError(
    `${where} holds ${keys.length} keys: expected one, or two while one takes the place of the other.`,
    'Leave the one that seals the database, and the one that is to take its place.',
  );
}
