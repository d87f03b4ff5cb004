import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../observability/operator-error.ts';
import { flush } from '../flush.ts';
import type { Binaries } from './binaries.ts';
import { isFolder, type Place } from './data-directory.ts';
import { databaseName } from './settings.ts';

const run = promisify(execFile);

/** initdb takes 0.5 s on a good disk; a disk that needs a minute is unusable. */
const initdbMsMax = 60_000;

/** PostgreSQL usually fails to start because of the machine, and its message names the cause. */
export const howToMend =
  'Fix the cause that it names (a full disk, permissions, shared memory) and start again, or set DATABASE_URL to your own PostgreSQL.';

/**
 * Creates the data folder if there is none. It is created under a temporary name and renamed when complete, so that an
 * interrupted start leaves nothing that looks like a database.
 *
 * @returns whether it was created
 * @throws OperatorError when the folder is from another major version of PostgreSQL, or initdb fails
 */
export async function makeCluster(place: Place, binaries: Binaries): Promise<boolean> {
  if (await isFolder(place.dataFolder)) {
    await checkVersion(place, binaries);
    return false;
  }
  const draft = `${place.dataFolder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (place.user !== undefined) await chown(draft, place.user.uid, place.user.gid);
  try {
    await run(binaries.initdb, initdbArguments(draft), {
      ...place.user,
      cwd: dirname(draft),
      env: serverEnvironment(binaries),
      timeout: initdbMsMax,
    });
  } catch (cause) {
    const told = (cause as { readonly stderr?: string }).stderr?.trim() ?? '';
    const message = `initdb could not create the embedded database in ${place.folder}. ${told}`;
    throw new OperatorError(message, howToMendInitdb(told), { cause });
  }
  await rename(draft, place.dataFolder); // initdb has flushed what is in it
  await flush(dirname(place.dataFolder));
  return true;
}

/** initdb looks up the name of its user; containers may run as a uid without one. */
function howToMendInitdb(told: string): string {
  if (!told.includes('could not look up effective user ID')) return howToMend;
  return 'Give this uid a user name (a line in /etc/passwd), or set DATABASE_URL to your own PostgreSQL.';
}

/** The environment of PostgreSQL's programs. Nothing of ours is passed on, because it may contain secrets. */
export function serverEnvironment(binaries: Binaries): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', LD_LIBRARY_PATH: binaries.libraryFolder };
}

function initdbArguments(dataFolder: string): readonly string[] {
  return [
    `--pgdata=${dataFolder}`,
    `--username=${databaseName}`,
    '--encoding=UTF8',
    // Byte order, by PostgreSQL's own code: upgrades of the system's libraries cannot corrupt an index.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--auth=trust', // for initdb's own pg_hba.conf, which is never read: see settings.ts
    '--no-instructions',
  ];
}

async function checkVersion(place: Place, binaries: Binaries): Promise<void> {
  const found = (await readFile(join(place.dataFolder, 'PG_VERSION'), 'utf8')).trim();
  const [wanted] = binaries.version.split('.');
  if (found === wanted) return;
  throw new OperatorError(
    `The database in ${place.dataFolder} was made by PostgreSQL ${found}; this release includes PostgreSQL ${String(wanted)}.`,
    'Back it up with the release that created it, and restore it into a new home.',
  );
}
