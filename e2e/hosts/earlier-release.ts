import { execFile, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryHome } from '../harness/temporary-home.ts';

export interface EarlierRelease {
  /** Of its program `ringfence`. */
  readonly program: string;
  /** What it was taken from. */
  readonly from: string;
  remove(): Promise<void>;
}

const run = promisify(execFile);
const name = 'earlier';
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Checks out an earlier release of this repository, with the libraries of this one.
 *
 * @param from a tag or commit; by default the newest tag before this commit, or else the commit before it
 * @throws where the history is not there
 */
export async function checkOutEarlier(from?: string): Promise<EarlierRelease> {
  const commit = await git('rev-parse', '--verify', `${from ?? (await newestBefore())}^{commit}`);
  await removeLeftovers();
  const home = await temporaryHome(name);
  const folder = join(home.path, 'ringfence');
  // However this process ends.
  const removeAtExit = (): void => {
    spawnSync('git', ['-C', root, 'worktree', 'remove', '--force', folder]);
    rmSync(home.path, { recursive: true, force: true });
  };
  process.once('exit', removeAtExit);
  const remove = async (): Promise<void> => {
    process.off('exit', removeAtExit);
    await git('worktree', 'remove', '--force', folder).catch(() => {});
    await home.remove();
    await git('worktree', 'prune');
  };
  try {
    await git('worktree', 'add', '--detach', folder, commit);
    await linkLibraries(folder);
    const program = join(folder, 'apps/server/bin/ringfence.js');
    return { program, from: await git('log', '-1', '--format=%h of %cs', commit), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What a killed run has left. */
async function removeLeftovers(): Promise<void> {
  const worktrees = (await git('worktree', 'list', '--porcelain')).split('\n');
  for (const line of worktrees.filter((found) => found.includes(`/ringfence-${name}-`))) {
    const folder = line.replace(/^worktree /u, '');
    await git('worktree', 'remove', '--force', folder);
    await rm(dirname(folder), { recursive: true, force: true });
  }
}

async function newestBefore(): Promise<string> {
  return git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => 'HEAD^');
}

/** The libraries are those of this checkout, the packages of the repository its own. */
async function linkLibraries(folder: string): Promise<void> {
  const scope = '@ringfence';
  await mkdir(join(folder, 'node_modules', scope), { recursive: true });
  for (const library of await readdir(join(root, 'node_modules')))
    if (library !== scope) await symlink(join(root, 'node_modules', library), join(folder, 'node_modules', library));
  const manifests = (await git('-C', folder, 'ls-files', '*/package.json')).split('\n');
  for (const manifest of manifests) {
    const { name: own } = JSON.parse(await readFile(join(folder, manifest), 'utf8')) as { readonly name?: string };
    if (own?.startsWith(`${scope}/`) === true && /^(?:packages|apps)\/[^/]+\/package\.json$/u.test(manifest))
      await symlink(join(folder, dirname(manifest)), join(folder, 'node_modules', own));
  }
}

async function git(...words: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, ...words]);
  return stdout.trim();
}
