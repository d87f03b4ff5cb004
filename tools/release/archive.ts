import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Packs a folder as tar.gz. Its bytes depend on names, contents, links and the right to execute, and on nothing else:
 * names are sorted, all times are the given one, the owner is root, and everybody may read.
 *
 * @param time of every entry, ISO 8601
 * Source: https://reproducible-builds.org/docs/archives/
 */
export async function packFolder(folder: string, file: string, time: string): Promise<void> {
  const tar = spawn(
    'tar',
    [
      '--create',
      '--format=gnu',
      '--sort=name',
      `--mtime=${time}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=a+rX,u+w,go-w',
      `--directory=${dirname(folder)}`,
      basename(folder),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(tar, 'exit');
  await pipeline(tar.stdout, createGzip({ level: 6 }), createWriteStream(file));
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`tar ended with ${String(code)}; GNU tar 1.28 or newer is needed`);
}
