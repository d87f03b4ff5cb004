import { chown, cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Development tools that the running service does not load; without them the copy is half as large. */
const notNeeded =
  /\/node_modules\/(?:node-[\w-]+|typescript|vitest|vite|rolldown|lightningcss[\w-]*|oxlint[\w-]*|oxfmt|@typescript|@oxlint[\w-]*|@oxfmt|@rolldown|@oxc-project|@vitest|@types)(?:\/|$)|\/(?:\.git|\.ringfence|test)(?:\/|$)/;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Copies the files that the service needs from this checkout into a private folder (0700).
 * @returns the copy's folder
 */
export async function copyCheckout(home: string): Promise<string> {
  await mkdir(home, { mode: 0o700 });
  const copy = join(home, 'ringfence');
  await mkdir(copy);
  for (const name of ['package.json', 'packages', 'apps', 'node_modules']) {
    await cp(join(root, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true, // npm's links to the workspaces are relative: they point into the copy
      filter: (source) => !notNeeded.test(source),
    });
  }
  return copy;
}

/** Changes the owner of a folder with all its content. */
export async function giveTo(folder: string, { uid, gid }: Owner): Promise<void> {
  await chown(folder, uid, gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), uid, gid);
  }
}
