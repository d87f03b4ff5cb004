import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
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
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Checks out an earlier release of this repository, with the libraries of this one.
 *
 * @param from a tag or commit; by default the newest tag before this commit, or else the commit before it
 * @throws where the history is not there
 */
export async function checkOutEarlier(from?: string): Promise<EarlierRelease> {
  const commit = await git('rev-parse', '--verify', `${from ?? (await newestBefore())}^{commit}`);
  const home = await temporaryHome('earlier');
  const folder = join(home.path, 'ringfence');
  // However this process ends.
  const removeAtExit = (): void => void spawnSync('git', ['-C', root, 'worktree', 'remove', '--force', folder]);
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

async function newestBefore(): Promise<string> {
  return git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => 'HEAD^');
}

/** The libraries are those of this checkout, the packages of the repository its own. */
async function linkLibraries(folder: string): Promise<void> {
  const scope = '@ringfence';
  await mkdir(join(folder, 'node_modules', scope), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== scope) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  const manifests = (await git('-C', folder, 'ls-files', '*/package.json')).split('\n');
  for (const manifest of manifests) {
    const { name } = JSON.parse(await readFile(join(folder, manifest), 'utf8')) as { readonly name?: string };
    if (name?.startsWith(`${scope}/`) === true && /^(?:packages|apps)\/[^/]+\/package\.json$/u.test(manifest))
      await symlink(join(folder, dirname(manifest)), join(folder, 'node_modules', name));
  }
}

async function git(...words: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, ...words]);
  return stdout.trim();
}
