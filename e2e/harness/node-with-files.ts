import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a program in a folder that is this Node with a limit of open files. @returns its path */
export async function nodeWithFiles(folder: string, filesMax: number): Promise<string> {
  const path = join(folder, 'node');
  await writeFile(path, `#!/bin/sh\nulimit -n ${filesMax}\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 });
  return path;
}
