import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { packFolder } from '../archive.ts';

const time = '2026-11-28T19:02:02.000Z';
const files = { 'b.txt': 'two', 'a/one.txt': 'one', run: '#!/bin/sh\n' } as const;

/** A folder with these files, made in the given order, with modes of a strict or a loose umask. */
function folderWith(names: readonly (keyof typeof files)[], umask: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bundle/a'), { recursive: true });
  for (const name of names) {
    const path = join(folder, 'bundle', name);
    writeFileSync(path, files[name]);
    chmodSync(path, (name === 'run' ? 0o777 : 0o666) & ~umask);
    utimesSync(path, umask, umask);
  }
  symlinkSync('b.txt', join(folder, 'bundle/link'));
  chmodSync(join(folder, 'bundle/a'), 0o777 & ~umask);
  return folder;
}

it('gives the same bytes whatever the order, the times and the umask', async () => {
  const one = folderWith(['b.txt', 'a/one.txt', 'run'], 0o022);
  const other = folderWith(['run', 'a/one.txt', 'b.txt'], 0o077);
  await packFolder(join(one, 'bundle'), join(one, 'bundle.tar.gz'), time);
  await packFolder(join(other, 'bundle'), join(other, 'bundle.tar.gz'), time);
  expect(readFileSync(join(other, 'bundle.tar.gz'))).toEqual(readFileSync(join(one, 'bundle.tar.gz')));
});

it('belongs to root, everybody may read it, and its times are those given', async () => {
  const folder = folderWith(['run', 'a/one.txt', 'b.txt'], 0o077);
  await packFolder(join(folder, 'bundle'), join(folder, 'bundle.tar.gz'), time);
  const listed = execFileSync('tar', [
    '--list',
    '--verbose',
    '--utc',
    '--numeric-owner',
    '--file',
    join(folder, 'bundle.tar.gz'),
  ]);
  expect(
    listed
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ')),
  ).toEqual([
    'drwxr-xr-x 0/0 0 2026-11-28 19:02 bundle/',
    'drwxr-xr-x 0/0 0 2026-11-28 19:02 bundle/a/',
    '-rw-r--r-- 0/0 3 2026-11-28 19:02 bundle/a/one.txt',
    '-rw-r--r-- 0/0 3 2026-11-28 19:02 bundle/b.txt',
    'lrwxr-xr-x 0/0 0 2026-11-28 19:02 bundle/link -> b.txt',
    '-rwxr-xr-x 0/0 10 2026-11-28 19:02 bundle/run',
  ]);
});

it('fails when tar fails', async () => {
  const folder = folderWith([], 0o022);
  await expect(packFolder(join(folder, 'absent'), join(folder, 'absent.tar.gz'), time)).rejects.toThrow(
    'tar ended with 2',
  );
});
