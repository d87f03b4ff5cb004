import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { randomBytes } from 'node:crypto';
import { OperatorError } from '../observability/operator-error.ts';
import { isOutOfSpace } from '../observability/write-failure.ts';

export interface SecretFile {
  /** The file's text, without surrounding white space. */
  readonly text: string;
  /** Whether this call created it. */
  readonly made: boolean;
}

/** Mode bits that would give other users access. */
const othersMask = 0o077;

/**
 * The secret in a private file (0600, in a folder 0700 of `home`), created if missing. If several processes start
 * together, one creates the file and all read the same secret; a crash leaves a complete file or none.
 *
 * @throws OperatorError when others may read the file, or it can be neither read nor created
 */
export function readOrMakeSecretFile(path: string, make: () => string): SecretFile {
  const found = readSecretFile(path);
  if (found !== undefined) return { text: found, made: false };
  const made = makeSecretFile(path, make());
  const text = readSecretFile(path);
  if (text === undefined) throw new OperatorError(`${path} disappeared while it was being created.`, 'Start again.');
  return { text, made };
}

/** The secret in the file, or `undefined` if there is no file. @throws OperatorError */
export function readSecretFile(path: string): string | undefined {
  try {
    const stat = statSync(path);
    if (process.platform !== 'win32' && (stat.mode & othersMask) !== 0) {
      throw new OperatorError(
        `${path} can be read by others (mode ${(stat.mode & 0o777).toString(8).padStart(4, '0')}).`,
        `Run: chmod 600 ${path}. If anyone else may have read it, replace the secret.`,
      );
    }
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const mend = 'Give the service permission to read it, and set `home` (RINGFENCE_HOME) to a folder.';
    throw new OperatorError(`${path} cannot be read: ${(cause as Error).message}`, mend, {
      cause,
    });
  }
}

/**
 * Written to a temporary file and linked into place, so that no reader sees a partial secret. False: another process
 * was first.
 */
function makeSecretFile(path: string, text: string): boolean {
  return putInPlace(path, text, (aside) => {
    try {
      linkSync(aside, path);
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw cause;
    }
  });
}

/**
 * Writes a secret to the file, replacing any existing one. A crash or a power failure leaves either the old or the new
 * one complete; once this returns, the new one.
 *
 * @throws OperatorError when it cannot be written
 */
export function replaceSecretFile(path: string, text: string): void {
  putInPlace(path, text, (aside) => renameSync(aside, path));
}

export function removeSecretFile(path: string): void {
  rmSync(path, { force: true });
}

function putInPlace<Result>(path: string, text: string, put: (aside: string) => Result): Result {
  const folder = dirname(path);
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    // Root's embedded database runs as another user, who must be able to enter `home` (not to list it).
    mkdirSync(dirname(folder), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    writeFileSync(aside, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
    giveToOwnerOf(folder, aside);
    const result = put(aside);
    syncFolder(folder);
    return result;
  } catch (cause) {
    const mend = isOutOfSpace(cause) ? 'Free some space' : 'Give the service permission to write there';
    throw new OperatorError(
      `${path} cannot be created: ${(cause as Error).message}`,
      `${mend}, or set \`home\` (RINGFENCE_HOME) to its own folder.`,
      { cause },
    );
  } finally {
    rmSync(aside, { force: true });
  }
}

/** A command run by root must not take the secret away from the user that the service runs as. */
function giveToOwnerOf(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(path, uid, gid);
}

/** Data sealed under a key survive a power failure, so the key's name in its folder must too. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
