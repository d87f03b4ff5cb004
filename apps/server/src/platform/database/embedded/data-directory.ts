import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../observability/operator-error.ts';
import { flush } from '../flush.ts';
import { ifThere } from '../ignore-missing.ts';

/** Who the server runs as. `undefined` in a `Place` means: as this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Where a cluster lives. `folder` holds our own files, `dataFolder` is PostgreSQL's, `socketFolder` holds its socket. */
export interface Place {
  readonly folder: string;
  readonly dataFolder: string;
  readonly socketFolder: string;
  readonly user: ServerUser | undefined;
}

/** In double quotes, where initdb and the settings have paths, these do not stand for themselves. */
const unfitForPath = /["$`\\\n]/u;

/** Where clusters live whose server cannot reach `home` (root with a closed home folder). */
export const systemFolder = '/var/lib/ringfence';

/** PostgreSQL names its socket after a port, even when it listens on none. */
export const socketPort = 5432;

/** Longest path of a Unix socket, without the closing zero: sun_path in unix(7) and in Darwin's sys/un.h. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;

/**
 * Chooses the cluster's place, once: a place chosen before is kept, whatever has changed since, because another place
 * would look like an empty database. Makes the folders that are missing.
 *
 * @throws OperatorError when the place chosen before is gone, the path is none that initdb takes, or no user for the
 *   server can be found
 */
export async function choosePlace(home: string): Promise<Place> {
  const user = await findServerUser();
  // Others may pass through a home that root makes, not list it: the server's user must reach the database in it.
  await mkdir(home, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
  const known = await findFolder(home);
  const folder = known ?? (await chooseFolder(await realpath(home), user));
  await mkdir(folder, { recursive: true, mode: 0o711 });
  return describePlace(folder, user);
}

/** The place of a cluster that was made before; `undefined` when `home` has none. */
export async function findPlace(home: string): Promise<Place | undefined> {
  const folder = await findFolder(home);
  return folder === undefined ? undefined : describePlace(folder, await findServerUser());
}

async function findFolder(home: string): Promise<string | undefined> {
  const pointer = await ifThere(readFile(pointerFile(home), 'utf8'));
  const folder = pointer?.trim() ?? join(resolve(home), 'database');
  if (await isFolder(folder)) return realpath(folder);
  if (pointer === undefined) return undefined;
  throw new OperatorError(
    `The database of ${home} lives in ${folder}, and that folder is gone.`,
    `Bring it back, or remove ${pointerFile(home)} to begin with an empty database.`,
  );
}

async function chooseFolder(home: string, user: ServerUser | undefined): Promise<string> {
  if (user === undefined || (await canPassThrough(home, user))) {
    if (!unfitForPath.test(home)) return join(home, 'database');
    throw new OperatorError(
      `There can be no database under ${home}: its path has one of the characters " $ \` \\, or a line break.`,
      'Set `home` (RINGFENCE_HOME) to a folder without them.',
    );
  }
  const name = basename(home).replace(/[^\w-]/gu, '') || 'home';
  const folder = join(systemFolder, `${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(systemFolder, { recursive: true, mode: 0o711 });
  await mkdir(folder, { mode: 0o711 });
  await writeFile(pointerFile(home), `${folder}\n`, { flush: true });
  await flush(home);
  return folder;
}

/** Holds the cluster's folder when that is not `home/database`. */
function pointerFile(home: string): string {
  return join(home, 'database.location');
}

async function describePlace(folder: string, user: ServerUser | undefined): Promise<Place> {
  const dataFolder = join(folder, 'data');
  const owner = await ifThere(stat(dataFolder));
  // Made before: the server must go on as the user that owns the files.
  const kept = user === undefined || owner === undefined ? user : { uid: owner.uid, gid: owner.gid };
  return { folder, dataFolder, socketFolder: chooseSocketFolder(folder, kept), user: kept };
}

/**
 * PostgreSQL refuses to run as root, so root starts it as another user: `ringfence` where an operator made that one
 * (it then shares its files with nobody), else `postgres`, else `nobody`. A bare number will not do: initdb asks the
 * system for the name of its user.
 */
async function findServerUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['ringfence', 'postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new OperatorError(
    'PostgreSQL does not run as root, and there is no user "ringfence", "postgres" or "nobody" to run it as.',
    'Make a user "ringfence", start the service as another user than root, or set DATABASE_URL.',
  );
}

/** Whether the modes of the path's folders let that user through, up to the root. */
async function canPassThrough(path: string, user: ServerUser): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return path === '/' || canPassThrough(dirname(path), user);
}

/** Beside the data when the socket's path is short enough there, else under a folder for such things, by a name of its own. */
function chooseSocketFolder(folder: string, user: ServerUser | undefined): string {
  const name = `ringfence-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const runtimeFolder = user === undefined ? (process.env['XDG_RUNTIME_DIR'] ?? tmpdir()) : '/run';
  const candidates = [join(folder, 'run'), join(runtimeFolder, name), join('/tmp', name)];
  const fits = (candidate: string): boolean =>
    Buffer.byteLength(join(candidate, `.s.PGSQL.${String(socketPort)}`)) <= socketPathBytesMax;
  return candidates.find(fits) ?? join('/tmp', name);
}

/**
 * Makes a folder that only the server's user (and root) can enter, or checks that it is one: in a folder where
 * everybody may write, somebody else may have made it first.
 */
export async function makePrivateFolder(folder: string, user: ServerUser | undefined): Promise<void> {
  const made = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
  if (made) {
    await chmod(folder, 0o700);
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    return;
  }
  const found = await lstat(folder);
  const wantedUid = user?.uid ?? process.getuid?.();
  if (!found.isDirectory() || found.uid !== wantedUid || (found.mode & 0o077) !== 0) {
    throw new OperatorError(`${folder} is not a private folder of user ${String(wantedUid)}.`, 'Remove it.');
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await ifThere(stat(path)))?.isDirectory() === true;
}
