import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { temporaryHome } from './temporary-home.ts';

/**
 * A file system of its own, in a file, from which power can be taken: what was written and not synced is gone, as from
 * a machine that was unplugged. What the disk itself confirmed stays.
 */
export interface Disk {
  readonly path: string;
  /** Nothing reaches the disk from now on, and nothing is written back. */
  cutPower(): Promise<void>;
  /** Power is back, and the file system recovers. Nobody may have anything of it open, or will have given it back soon. */
  restorePower(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
/** The database with its write-ahead log, and room for what a run adds. Only what is written takes space. */
const sizeBytes = 2 * 1024 ** 3;
/** Processes that were killed give back what they had open within milliseconds; a watchdog of theirs too. */
const freeTimeoutMs = 10_000;
/** `xfs_io` asks any file system to shut down at once, not only XFS. In Debian's `xfsprogs`; the others in every system. */
const programs = ['/usr/sbin/xfs_io', '/usr/sbin/mkfs.ext4', '/dev/loop-control'];

/** Why no disk can be made here; `undefined` when one can. */
export async function whyNoDisk(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root of a Linux can mount a disk';
  for (const program of programs) {
    const isThere = await access(program, constants.F_OK).then(
      () => true,
      () => false,
    );
    if (!isThere) return `there is no ${program}`;
  }
  return undefined;
}

/** @throws when it can't be made or mounted */
export async function makeDisk(name: string): Promise<Disk> {
  const home = await temporaryHome(`disk-${name}`);
  const image = join(home.path, 'image');
  const path = join(home.path, 'disk');
  const mount = (): Promise<unknown> => run('mount', ['-o', 'loop', image, path]);
  const unmount = (): Promise<true> =>
    eventually('nobody uses the disk', freeTimeoutMs, () =>
      run('umount', [path]).then(
        () => true as const,
        () => undefined,
      ),
    );
  try {
    await writeFile(image, '');
    await truncate(image, sizeBytes);
    await mkdir(path);
    await run('/usr/sbin/mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
    await mount();
  } catch (error) {
    await home.remove();
    throw error;
  }
  return {
    path,
    // `shutdown -f` would write its journal back first.
    cutPower: async () => void (await run('/usr/sbin/xfs_io', ['-x', '-c', 'shutdown', path])),
    restorePower: async () => {
      await unmount();
      await mount();
    },
    remove: async () => {
      await unmount();
      await home.remove();
    },
  };
}
