import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Flushes a file's content, or the names in a folder, to disk, so that they survive a power failure. A new file needs
 * both: its own content, and its name in its folder.
 */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes everything in a folder, including the folder itself. */
export async function flushTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) await flush(join(entry.parentPath, entry.name));
  }
  await flush(folder);
}
