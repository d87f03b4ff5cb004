import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { OperatorError } from '../observability/operator-error.ts';
import { type MasterKey, masterKeyBytes, parseMasterKey } from './master-key.ts';
import { type KeyCommand, runKeyCommand } from './key-command.ts';
import { readOrMakeSecretFile, readSecretFile, removeSecretFile, replaceSecretFile } from './secret-file.ts';

/** Where the master keys of an installation come from. */
export interface MasterKeySource {
  readonly home: string;
  /** RINGFENCE_MASTER_KEY; `undefined` or empty: the command, or `home/secrets/master.key`. */
  readonly fromEnvironment: string | undefined;
  readonly command?: KeyCommand | undefined;
  /** What the command printed: the threads of a process do not run it again. */
  readonly printed?: string;
}

/** The current key, and during a rotation the next one. */
const keysMax = 2;

export function masterKeyPath(home: string): string {
  return join(home, 'secrets', 'master.key');
}

/** Where a key is kept that no longer seals anything: it still decrypts older backups. */
export function retiredKeyPath(home: string, id: string): string {
  return join(home, 'secrets', `master-key-${id}.retired`);
}

/**
 * The master keys of a process: one, or two during a rotation. The database records which of them seals (`sealingKey`),
 * so their order is irrelevant.
 */
export class MasterKeys {
  readonly source: MasterKeySource;
  readonly from: 'environment' | 'command' | 'file';
  /** Their location, for display. */
  readonly where: string;
  /** The key was created by this start. */
  readonly made: boolean;
  #keys: readonly MasterKey[];

  private constructor(source: MasterKeySource, text: string, made: boolean) {
    this.source = source;
    this.from = isGiven(source.fromEnvironment) ? 'environment' : source.command === undefined ? 'file' : 'command';
    this.where = whereOf(this.from, source);
    this.made = made;
    this.#keys = parseKeys(this.where, text);
  }

  /**
   * The keys of RINGFENCE_MASTER_KEY if it is set, else of the command if there is one, else of
   * `home/secrets/master.key`, created at the first start.
   *
   * @param mayMake false for commands: a missing key must not be replaced by one that decrypts nothing
   * @throws OperatorError for a wrong length, an unknown form, a file that others can read, a missing key,
   *   a command that fails
   */
  static load(source: MasterKeySource, mayMake = true): MasterKeys {
    if (isGiven(source.fromEnvironment)) return new MasterKeys(source, source.fromEnvironment, false);
    if (source.command !== undefined) {
      const printed = source.printed ?? runKeyCommand(source.command);
      return new MasterKeys({ ...source, printed }, printed, false);
    }
    const path = masterKeyPath(source.home);
    if (!mayMake && readSecretFile(path) === undefined) {
      throw new OperatorError(
        `There is no master key: RINGFENCE_MASTER_KEY is not set, and ${path} does not exist.`,
        'Set RINGFENCE_MASTER_KEY to the value that the service uses, or pass its home with --home.',
      );
    }
    const file = readOrMakeSecretFile(path, newKeyText);
    return new MasterKeys(source, file.text, file.made);
  }

  all(): readonly MasterKey[] {
    return this.#keys;
  }

  /** The key with that id. For an unknown id the file is read again, since a rotation adds keys to it. */
  get(id: string): MasterKey | undefined {
    return this.#find(id) ?? (this.#readAgain() ? this.#find(id) : undefined);
  }

  /** Adds a new key to the file. When this returns, the key survives a power failure. */
  addToFile(): MasterKey {
    const text = newKeyText();
    replaceSecretFile(this.where, [...this.#keys.map(printKey), text].join('\n'));
    this.#readAgain();
    return parseMasterKey(text)!;
  }

  /**
   * Keeps only this key in the file; each other one is moved to its own file.
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

  /** Deletes the file that this start has created: a key that decrypts nothing would only block the right one. */
  unmake(): void {
    removeSecretFile(this.where);
  }

  #find(id: string): MasterKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  #readAgain(): boolean {
    if (this.from !== 'file') return false;
    const text = readSecretFile(this.where);
    if (text === undefined) return false;
    // Known keys are kept: one that was removed from the file may still be needed for a row that was already read.
    const added = parseKeys(this.where, text).filter(({ id }) => this.#find(id) === undefined);
    this.#keys = [...this.#keys, ...added];
    return added.length > 0;
  }
}

function whereOf(from: MasterKeys['from'], { home, command }: MasterKeySource): string {
  if (from === 'environment') return 'RINGFENCE_MASTER_KEY';
  return from === 'command' ? `masterKey.exec (${command!.exec[0]})` : masterKeyPath(home);
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
        `${where} is not a master key: expected 32 bytes as 64 hex digits or 44 characters of base64, found ${part.length} characters.`,
        'Restore your copy of the key: what is sealed under it cannot be read with another one.',
      );
    });
  if (keys.length <= keysMax) return keys;
  throw new OperatorError(
    `${where} contains ${keys.length} keys: expected one, or two during a rotation.`,
    'Keep only the key that seals the database, and the one that is to replace it.',
  );
}
