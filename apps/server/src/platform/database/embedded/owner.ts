import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../observability/operator-error.ts';
import { ignoreMissing } from '../ignore-missing.ts';
import { processLife } from './process-identity.ts';

/**
 * Records which process owns a cluster folder. At most one does, even if several start at the same moment.
 *
 *   owner.1 (dead) --claim--> owner.2 (living) --release--> owner.2 (released) --claim--> owner.3 ...
 *
 * A claim creates the file with the next number, complete and only if it does not exist (`link`). So of two processes
 * that saw the same dead owner, one fails. The newest file is never removed: the next claim counts from its number.
 */
export interface Ownership {
  release(): Promise<void>;
}

/** Another living process owns the folder. */
export class FolderOwnedError extends OperatorError {
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(
      `The embedded database in ${folder} belongs to the running process ${String(pid)}.`,
      'Stop that process, or use another home. For several processes on one database, set DATABASE_URL.',
    );
    this.pid = pid;
  }
}

interface OwnerFile {
  readonly pid: number;
  readonly life: string;
  readonly released: boolean;
}

/** @throws FolderOwnedError when a living process owns the folder */
export async function claimFolder(folder: string): Promise<Ownership> {
  const life = await processLife(process.pid);
  if (life === undefined) throw new Error('The start of this process cannot be read from the system.');
  const mine: OwnerFile = { pid: process.pid, life, released: false };

  for (;;) {
    const newest = await newestOwner(folder);
    if (newest.owner !== undefined) throw new FolderOwnedError(folder, newest.owner.pid);
    const number = newest.number + 1;
    if (!(await writeOnce(folder, ownerName(number), mine))) continue;
    await removeOlder(folder, number);
    return { release: () => replace(folder, ownerName(number), { ...mine, released: true }) };
  }
}

/** The living process that owns the folder, if there is one. */
export async function folderOwner(folder: string): Promise<number | undefined> {
  return (await newestOwner(folder)).owner?.pid;
}

async function newestOwner(
  folder: string,
): Promise<{ readonly number: number; readonly owner: OwnerFile | undefined }> {
  const number = Math.max(0, ...(await ownerNumbers(folder)));
  if (number === 0) return { number, owner: undefined };
  const text = await ignoreMissing(readFile(join(folder, ownerName(number)), 'utf8'));
  if (text === undefined) return newestOwner(folder); // a newer claim has just removed it
  const owner = parseOwner(text);
  const living = owner?.released === false && (await processLife(owner.pid)) === owner.life;
  return { number, owner: living ? owner : undefined };
}

/** `undefined` for an incomplete file: only a power failure leaves one, and its owner did not survive that. */
function parseOwner(text: string): OwnerFile | undefined {
  try {
    return JSON.parse(text) as OwnerFile;
  } catch {
    return undefined;
  }
}

async function ownerNumbers(folder: string): Promise<readonly number[]> {
  const names = (await ignoreMissing(readdir(folder))) ?? [];
  return names.flatMap((name) => (/^owner\.\d+$/u.test(name) ? [Number(name.slice('owner.'.length))] : []));
}

function ownerName(number: number): string {
  return `owner.${String(number)}`;
}

async function writeOnce(folder: string, name: string, content: OwnerFile): Promise<boolean> {
  const draft = join(folder, `${name}.${String(process.pid)}.draft`);
  try {
    await writeFile(draft, JSON.stringify(content));
    await link(draft, join(folder, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function replace(folder: string, name: string, content: OwnerFile): Promise<void> {
  const draft = join(folder, `${name}.${String(process.pid)}.draft`);
  await writeFile(draft, JSON.stringify(content));
  await rename(draft, join(folder, name));
}

async function removeOlder(folder: string, than: number): Promise<void> {
  for (const number of await ownerNumbers(folder)) {
    if (number < than) await rm(join(folder, ownerName(number)), { force: true });
  }
}
