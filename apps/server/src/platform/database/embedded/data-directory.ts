import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../observability/operator-error.ts';
import { flush } from '../flush.ts';
import { ignoreMissing } from '../ignore-missing.ts';

/** The user that the server runs as. `undefined` in a `Place`: the user of this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The location of a cluster. `folder` has our own files, `dataFolder` is PostgreSQL's, `socketFolder` has its socket.
 */
export interface Place {
  readonly folder: string;
  readonly dataFolder: string;
  readonly socketFolder: string;
  readonly user: ServerUser | undefined;
}

/** Characters that are special in the double-quoted paths of initdb and the settings. */
const unfitForPath = /["$`\\\n]/u;

/** For clusters whose server cannot reach `home` (root with a closed home folder). */
export const systemFolder = '/var/lib/ringfence';

/** PostgreSQL names its socket after a port, even if it listens on none. */
export const socketPort = 5432;

/** Longest path of a Unix socket, without the terminating zero: sun_path in unix(7) and in Darwin's sys/un.h. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;

/**
 * Chooses the location of the cluster, once. An existing location is kept, whatever has changed since, because another
 * one would look like an empty database. Creates missing folders.
 *
 * @throws OperatorError when the existing location is gone, the path has characters that initdb rejects, or there is no
 *   suitable user for the server
 */
export async function choosePlace(home: string): Promise<Place> {
  const user = await findServerUser();
  // Others may enter a home created by root, but not list it: the server's user must reach the database in it.
  await mkdir(home, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
  const known = await findFolder(home);
  const folder = known ?? (await chooseFolder(await realpath(home), user));
  await mkdir(folder, { recursive: true, mode: 0o711 });
  return describePlace(folder, user);
}

/** The location of an existing cluster; `undefined` if `home` has none. */
export async function findPlace(home: string): Promise<Place | undefined> {
  const folder = await findFolder(home);
  return folder === undefined ? undefined : describePlace(folder, await findServerUser());
}

async function findFolder(home: string): Promise<string | undefined> {
  const pointer = await ignoreMissing(readFile(pointerFile(home), 'utf8'));
  const folder = pointer?.trim() ?? join(resolve(home), 'database');
  if (await isFolder(folder)) return realpath(folder);
  if (pointer === undefined) return undefined;
  throw new OperatorError(
    `The database of ${home} is in ${folder}, but that folder does not exist.`,
    `Restore the folder, or remove ${pointerFile(home)} to start with an empty database.`,
  );
}

async function chooseFolder(home: string, user: ServerUser | undefined): Promise<string> {
  if (user === undefined || (await canPassThrough(home, user))) {
    if (!unfitForPath.test(home)) return join(home, 'database');
    throw new OperatorError(
      `The database cannot be created under ${home}: the path contains one of the characters " $ \` \\, or a line break.`,
      'Set `home` (RINGFENCE_HOME) to a folder whose path has none of them.',
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

/** Contains the path of the cluster's folder if that is not `home/database`. */
function pointerFile(home: string): string {
  return join(home, 'database.location');
}

async function describePlace(folder: string, user: ServerUser | undefined): Promise<Place> {
  const dataFolder = join(folder, 'data');
  const owner = await ignoreMissing(stat(dataFolder));
  // For existing data the server must keep running as the user that owns the files.
  const kept = user === undefined || owner === undefined ? user : { uid: owner.uid, gid: owner.gid };
  return { folder, dataFolder, socketFolder: chooseSocketFolder(folder, kept), user: kept };
}

/**
 * The user for a server started by root, since PostgreSQL refuses to run as root: `ringfence` if an operator created it
 * (it then shares its files with no other service), else `postgres`, else `nobody`. A bare uid is not enough: initdb
 * looks up the name of its user.
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
    'Create a user "ringfence", start the service as another user than root, or set DATABASE_URL.',
  );
}

/** Whether the modes of all folders of the path, up to the root, let that user through. */
async function canPassThrough(path: string, user: ServerUser): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return path === '/' || canPassThrough(dirname(path), user);
}

/** Next to the data if the socket's path is short enough there, else in a runtime folder, under a unique name. */
function chooseSocketFolder(folder: string, user: ServerUser | undefined): string {
  const name = `ringfence-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const runtimeFolder = user === undefined ? (process.env['XDG_RUNTIME_DIR'] ?? tmpdir()) : '/run';
  const candidates = [join(folder, 'run'), join(runtimeFolder, name), join('/tmp', name)];
  const fits = (candidate: string): boolean =>
    Buffer.byteLength(join(candidate, `.s.PGSQL.${String(socketPort)}`)) <= socketPathBytesMax;
  return candidates.find(fits) ?? join('/tmp', name);
}

/**
 * Creates a folder that only the server's user (and root) can enter. If it exists, checks that it is private: in a
 * world-writable folder another user may have created it first.
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
  return (await ignoreMissing(stat(path)))?.isDirectory() === true;
}
