import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { temporaryHome } from './temporary-home.ts';

/**
 * A separate file system in a file, which can lose power: data that were written but not synced are lost, as when a
 * machine is unplugged. Synced data stay.
 */
export interface Disk {
  readonly path: string;
  /** From now on nothing reaches the disk, and nothing is written back. */
  cutPower(): Promise<void>;
  /**
   * Restores the power, and the file system recovers. No process may have an open file on it for longer than a moment.
   */
  restorePower(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
/** The database with its write-ahead log, and space for the data of a run. The file is sparse. */
const sizeBytes = 2 * 1024 ** 3;
/** Killed processes and their watchdogs close their files within milliseconds. */
const freeTimeoutMs = 10_000;
/**
 * `xfs_io` can shut down any file system immediately, not only XFS. In Debian's `xfsprogs`; the other programs are part
 * of every system.
 */
const programs = ['/usr/sbin/xfs_io', '/usr/sbin/mkfs.ext4', '/dev/loop-control'];

/** Why no such disk can be created here; `undefined` if it can. */
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

/** @throws if it cannot be created or mounted */
export async function makeDisk(name: string, bytes = sizeBytes): Promise<Disk> {
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
    await truncate(image, bytes);
    await mkdir(path);
    await run('/usr/sbin/mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
    await mount();
  } catch (error) {
    await home.remove();
    throw error;
  }
  return {
    path,
    // `shutdown -f` would first write the journal back.
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
